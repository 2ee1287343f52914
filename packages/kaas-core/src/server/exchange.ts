import type { RequestContext } from "../api/api-handler.js";
import type { Lease, SharedLease } from "../ports/memory.js";
import type { ServedApi } from "../api/api-registry.js";

/** Who is told when an answer has come later than its request. */
export interface ExchangeOwner {
  settled(exchange: Exchange): void;
  failed(exchange: Exchange, error: unknown): void;
}

export const ExchangeState = {
  /** The handler is at work. */
  WAITING: 0,
  /** `response` is to be sent; if it is undefined, nothing is. */
  ANSWERED: 1,
  /** No answer is possible: the connection closes for the reason `closeReason` when all before it is answered. */
  UNANSWERABLE: 2,
} as const;

export type ExchangeState = (typeof ExchangeState)[keyof typeof ExchangeState];

/**
 * One request and its answer. An exchange is used again when it is over, and the two callbacks that wait for a promise
 * are made once, so that a request costs no closure.
 */
export class Exchange {
  state: ExchangeState = ExchangeState.WAITING;
  api: ServedApi | undefined = undefined;
  context: RequestContext | undefined = undefined;
  correlationId = 0;
  /** Version that the response is written in; the request's own, but for ApiVersions (KIP-511). */
  responseVersion = 0;
  frameBytes = 0;
  /** How long decoding the request and starting to handle it took; measured where somebody has a quota of it. */
  busyMs = 0;
  /** Monotonic milliseconds when the request was started. */
  startedMs = 0;
  /** What the request's bytes are lent by; held until the request is over. */
  requestMemory: SharedLease | undefined = undefined;
  request: unknown = undefined;
  response: unknown = undefined;
  closeReason = "";
  /** Neither request nor answer has a header: a message of a login, after version 0 of SaslHandshake. */
  isRaw = false;

  readonly onResolved: (response: unknown) => void;
  readonly onRejected: (error: unknown) => void;

  constructor(owner: ExchangeOwner) {
    this.onResolved = (response) => {
      this.answer(response);
      owner.settled(this);
    };
    this.onRejected = (error) => {
      owner.failed(this, error);
      owner.settled(this);
    };
  }

  answer(response: unknown): void {
    this.#dropResponse();
    this.response = response;
    this.state = ExchangeState.ANSWERED;
  }

  refuse(closeReason: string): void {
    this.#dropResponse();
    this.closeReason = closeReason;
    this.state = ExchangeState.UNANSWERABLE;
  }

  /** What the response's bytes are lent by; from now on the caller's to release, with the response itself. */
  takeLease(): Lease | undefined {
    const { response } = this;
    this.response = undefined;
    return response === undefined ? undefined : this.api?.handler.lease?.(response);
  }

  /** Lets go of everything that belonged to the request. */
  clear(): void {
    this.#dropResponse();
    this.requestMemory?.release();
    this.requestMemory = undefined;
    this.state = ExchangeState.WAITING;
    this.api = undefined;
    this.context = undefined;
    this.request = undefined;
    this.busyMs = 0;
    this.isRaw = false;
  }

  /** The response will not be sent. */
  #dropResponse(): void {
    if (this.response !== undefined) this.takeLease()?.release();
  }
}
