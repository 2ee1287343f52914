import { randomBytes, randomInt } from "node:crypto";
import type { Random } from "@kaas/core";

/** The operating system's randomness. */
export const systemRandom: Random = {
  uuid(): string {
    // A leading dash would read as an option in Kafka's tools, so Kafka does not give out such ids either.
    for (;;) {
      const id = randomBytes(16).toString("base64url");
      if (!id.startsWith("-") && !/^A+$/.test(id)) return id;
    }
  },
  integer: (limit) => randomInt(limit),
};
