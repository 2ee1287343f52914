import { KaasError, type Log } from "@kaas/core";
import type { ServingBroker } from "./compose.js";

/** Who loses its fuse again after so short a time runs against another broker of its name: starting anew does not help. */
const FENCED_AGAIN_MS = 10_000;

export interface KeepServingOptions {
  readonly start: () => Promise<ServingBroker>;
  readonly log: Log;
  readonly monotonic: () => number;
  /** Called after every start. */
  readonly started: (serving: ServingBroker) => void;
  /** It does not serve, and will not. */
  readonly gaveUp: () => void;
}

/** A broker that is started again when another one has taken over from it. */
export interface KeptServing {
  /** Ends it in order. */
  close(): Promise<void>;
}

/**
 * Starts a broker, and starts it again as a new incarnation, in place, whenever its fuse is blown: what it led is
 * another's, and it may be given something else. Rejects when the first start fails.
 */
export async function keepServing(options: KeepServingOptions): Promise<KeptServing> {
  const { start, log, monotonic, started, gaveUp } = options;
  let isClosing = false;
  let current = start();
  const follow = (serving: ServingBroker): void => {
    const since = monotonic();
    started(serving);
    void serving.fenced.then(
      (error) => {
        if (isClosing) return;
        if (monotonic() - since < FENCED_AGAIN_MS) {
          log.error(
            { code: error.code },
            `${error.message}, soon after it started; does another broker have its name?`,
          );
          gaveUp();
          return;
        }
        log.error({ code: error.code }, `${error.message}; the broker starts again as a new incarnation`);
        current = restart(serving);
        current.then(follow, (failure: unknown) => {
          log.error({ err: failure }, "the broker could not be started again");
          gaveUp();
        });
      },
      (failure: unknown) => {
        if (!isClosing) void giveUp(serving, failure);
      },
    );
  };
  const giveUp = async (serving: ServingBroker, failure: unknown): Promise<void> => {
    log.error({ err: failure }, "the control plane of the broker has ended; the broker stops");
    try {
      await serving.close();
    } catch (error) {
      log.warn({ err: error }, "the broker could not be closed in order");
    }
    gaveUp();
  };
  const restart = async (serving: ServingBroker): Promise<ServingBroker> => {
    try {
      await serving.close();
    } catch (error) {
      log.warn({ err: error }, "the broker that lost its fuse could not be closed in order");
    }
    if (isClosing) throw new KaasError("KAAS_CLOSED", "the broker was asked to stop");
    return start();
  };
  follow(await current);
  return {
    async close() {
      isClosing = true;
      await (await current).close();
    },
  };
}
