import type { Credentials } from "../ports/credentials.js";

/** Nobody can log in, and nothing is limited: of a broker that was given no credentials. */
export const noCredentials: Credentials = {
  users: () => [],
  scram: () => undefined,
  decoySecret: Buffer.alloc(32),
  quotas: () => [],
  refresh: () => Promise.resolve(),
  onChange: () => () => undefined,
};
