import type { Status, WatchEvent } from "./kubernetes-api.js";
import type { KubernetesObject } from "./kubernetes-object.js";

/** How much of an answer that is no Status is repeated in a message. */
const EXCERPT_LENGTH = 200;

interface StatusBody {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly retryAfterSeconds?: number };
}

/** Why a request was refused. The body is a Status as a rule, and anything at all where a proxy answers. */
export function statusOf(code: number, retryAfter: string | undefined, text: string): Status {
  const body = parsed(text);
  const seconds = Number(retryAfter ?? body?.details?.retryAfterSeconds ?? Number.NaN);
  return {
    code,
    reason: body?.reason ?? "",
    message: body?.message ?? `HTTP ${code} ${text.slice(0, EXCERPT_LENGTH).trim()}`.trim(),
    ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfterSeconds: seconds } : {}),
  };
}

function parsed(text: string): StatusBody | undefined {
  try {
    const body = JSON.parse(text) as StatusBody | null;
    return body?.kind === "Status" ? body : undefined;
  } catch {
    return undefined; // no JSON: whoever wrote it is quoted
  }
}

/**
 * An event as a line of a watch has it.
 *
 * @throws Error for a line that is none.
 */
export function watchEventOf<T extends KubernetesObject>(line: unknown): WatchEvent<T> {
  const { type, object } = line as { type?: unknown; object?: unknown };
  if (typeof object === "object" && object !== null) {
    if (type === "ADDED" || type === "MODIFIED" || type === "DELETED") return { type, object: object as T };
    if (type === "BOOKMARK") {
      const { resourceVersion = "" } = (object as KubernetesObject).metadata;
      return { type, resourceVersion };
    }
    if (type === "ERROR") {
      const { code = 500 } = object as StatusBody;
      return { type, status: statusOf(code, undefined, JSON.stringify(object)) };
    }
  }
  throw new Error(`not an event of a watch: ${JSON.stringify(line).slice(0, EXCERPT_LENGTH)}`);
}
