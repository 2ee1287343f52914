import type { ScramMechanism } from "../ports/credentials.js";

/** Wire numbers of the SCRAM mechanisms (KIP-554). */
const CODES: readonly (readonly [number, ScramMechanism])[] = [
  [1, "SCRAM-SHA-256"],
  [2, "SCRAM-SHA-512"],
];

/** The mechanism of a wire number; undefined for an unknown one. */
export const scramMechanismOf: ReadonlyMap<number, ScramMechanism> = new Map(CODES);

/** The wire number of a mechanism. */
export const scramCodeOf: ReadonlyMap<ScramMechanism, number> = new Map(
  CODES.map(([code, mechanism]) => [mechanism, code]),
);
