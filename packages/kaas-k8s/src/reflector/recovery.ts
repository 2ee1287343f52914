import { KubernetesError } from "../api/kubernetes-error.js";

/** What to do after a list or a watch has failed. */
export interface Recovery {
  /** The place in the history is of no use any more: everything has to be listed again. */
  readonly mustRelist: boolean;
  /** Go on at once; else after a wait. */
  readonly isImmediate: boolean;
  /** The server wants to be left alone for so long at least. */
  readonly waitMsMin: number;
}

/** A watch that the server has answered with an error so often in a row is begun anew, with a list. */
const REFUSALS_MAX = 3;

/** Answers that say nothing against the place in the history that a watch began at. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/**
 * What follows from a failure. `refusals` counts those in a row, this one included, that were answers of the server.
 *
 * - 410: what happened since is forgotten, which is normal after a long break: list again, at once the first time.
 * - no answer, 401, 403, 408, 429: wait, and go on where it stopped.
 * - other answers 4xx: the watch makes no sense to this server; list again after a wait.
 * - 5xx: wait and go on; but a server whose history was set back refuses the place for ever, so list again in the end.
 */
export function recoveryFrom(error: unknown, refusals: number): Recovery {
  const status = error instanceof KubernetesError ? error.status : -1;
  const waitMsMin = (error instanceof KubernetesError ? error.retryAfterMs : undefined) ?? 0;
  if (status === 410) return { mustRelist: true, isImmediate: refusals === 1, waitMsMin };
  if (status === 0 || PASSING.has(status)) return { mustRelist: false, isImmediate: false, waitMsMin };
  const isServerFailure = status >= 500;
  return { mustRelist: !isServerFailure || refusals >= REFUSALS_MAX, isImmediate: false, waitMsMin };
}
