import { KaasError, type KaasErrorCode } from "@kaas/core";
import type { Status } from "./kubernetes-api.js";

/** What the API server, or the way to it, refused. */
export class KubernetesError extends KaasError {
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Kubernetes' word for it, such as `AlreadyExists`; empty where there was no answer. */
  readonly reason: string;
  /** How long the server wants to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(what: string, status: Status, options?: { cause?: unknown }) {
    super(codeOf(status), `${what}: ${status.message}`, options);
    this.name = "KubernetesError";
    this.status = status.code;
    this.reason = status.reason;
    this.retryAfterMs = status.retryAfterSeconds === undefined ? undefined : status.retryAfterSeconds * 1000;
  }
}

/** No answer came: a broken connection, a name that does not resolve, a time-out. */
export function unreachable(what: string, message: string, cause?: unknown): KubernetesError {
  const status = { code: 0, reason: "", message: `the API server cannot be reached: ${message}` };
  return new KubernetesError(what, status, cause === undefined ? {} : { cause });
}

/** The refusal, if it is one of Kubernetes and of this status. */
export function isStatus(error: unknown, status: number): error is KubernetesError {
  return error instanceof KubernetesError && error.status === status;
}

const CODES: ReadonlyMap<number, KaasErrorCode> = new Map<number, KaasErrorCode>([
  [401, "KAAS_KUBERNETES_FORBIDDEN"],
  [403, "KAAS_KUBERNETES_FORBIDDEN"],
  [404, "KAAS_KUBERNETES_NOT_FOUND"],
  [409, "KAAS_KUBERNETES_CONFLICT"],
]);

/** A server that is overloaded, starting, or without its etcd is as good as one that is not there. */
function codeOf({ code }: Status): KaasErrorCode {
  if (code === 0 || code === 429 || code >= 500) return "KAAS_KUBERNETES_UNREACHABLE";
  return CODES.get(code) ?? "KAAS_KUBERNETES_REFUSED";
}
