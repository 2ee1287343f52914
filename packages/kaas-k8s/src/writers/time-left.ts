import { type Clock, KaasError } from "@kaas/core";

/** The time that one change may take, over all the calls that it needs. */
export class TimeLeft {
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #timeoutMs: number;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#endsAt = clock.monotonic() + timeoutMs;
  }

  /**
   * Options of the next call.
   *
   * @throws KaasError KAAS_KUBERNETES_UNREACHABLE when there is no time left.
   */
  get options(): { readonly timeoutMs: number } {
    const timeoutMs = this.#endsAt - this.#clock.monotonic();
    if (timeoutMs > 0) return { timeoutMs };
    throw new KaasError(
      "KAAS_KUBERNETES_UNREACHABLE",
      `the API server did not make the change within ${this.#timeoutMs} ms; it may make it yet`,
    );
  }
}
