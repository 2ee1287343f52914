import { type Refusal, refuse } from "../errors/refusal.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { RequestContext } from "./api-handler.js";

/** What a request that changes partitions is charged (KIP-599). */
export class MutationQuota {
  readonly #context: RequestContext;
  readonly #isStrict: boolean;
  #throttleMs = 0;

  /** @param strictSince the version since which clients know how to be refused; older ones wait afterwards */
  constructor(context: RequestContext, strictSince: number) {
    this.#context = context;
    this.#isStrict = context.apiVersion >= strictSince;
  }

  /** How long the client has to wait. */
  get throttleTimeMs(): number {
    return this.#throttleMs;
  }

  /** Charges partitions that are about to be created or deleted, or only would be; a refusal where that is too much. */
  charge(partitions: number): Refusal | undefined {
    const { broker, connection, clientId } = this.#context;
    if (broker.quotas.isIdle) return undefined;
    const client = { user: connection.principal.name, clientId: clientId ?? "" };
    const { isGranted, throttleMs } = broker.quotas.chargeMutations(client, partitions, this.#isStrict);
    this.#throttleMs = Math.max(this.#throttleMs, throttleMs);
    if (isGranted) return undefined;
    return refuse(ErrorCode.THROTTLING_QUOTA_EXCEEDED, "The throttling quota has been exceeded.");
  }
}
