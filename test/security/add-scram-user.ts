import { pbkdf2Sync, randomBytes } from "node:crypto";
import { WireClient } from "../lib/wire-client.js";

/** The SCRAM mechanisms by their wire numbers. */
const HASHES = { 1: ["sha256", 32], 2: ["sha512", 64] } as const;
const ITERATIONS = 4_096;

/** Gives a user a password for both mechanisms, as an admin client does it. */
export async function addScramUser(port: number, name: string, password: string): Promise<void> {
  const client = await WireClient.connect(port);
  try {
    for (const mechanism of [1, 2] as const) {
      const [hash, bytes] = HASHES[mechanism];
      const salt = randomBytes(20);
      const saltedPassword = pbkdf2Sync(password, salt, ITERATIONS, bytes, hash);
      const upsertions = [{ name, mechanism, iterations: ITERATIONS, salt, saltedPassword }];
      const { results } = await client.call<Altered>(51, 0, { deletions: [], upsertions });
      if (results[0]?.errorCode !== 0) throw new Error(`${name} was not added: ${JSON.stringify(results)}`);
    }
  } finally {
    client.close();
  }
}

interface Altered {
  readonly results: readonly { readonly errorCode: number }[];
}
