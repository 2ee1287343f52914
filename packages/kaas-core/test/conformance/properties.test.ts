import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KaasError } from "../../src/errors/kaas-error.js";
import { parseVersions } from "../../src/messages/schema.js";
import { arbitraryMessage } from "./arbitrary-message.js";
import { codecOf, type MessageCodec } from "./codecs.js";
import { kaasMessages } from "./kaas-schemas.js";

/** Decodes, and lets nothing but the error of malformed bytes pass for one. Undefined: malformed. */
function decodeOrRefuse(codec: MessageCodec, bytes: Buffer, version: number): unknown {
  try {
    return codec.decode(bytes, version);
  } catch (error) {
    if (error instanceof KaasError && error.code === "KAAS_WIRE_MALFORMED") return undefined;
    throw error;
  }
}

const flip = (bytes: Buffer, bit: number): Buffer => {
  const flipped = Buffer.from(bytes);
  flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
  return flipped;
};

/** Lengths of some 2 GiB, in the two forms that lengths have. */
const HUGE_LENGTHS = [
  Buffer.from("7fffffff", "hex"),
  Buffer.from("ffffffff07", "hex"),
  Buffer.from("ffffffff0f", "hex"),
];

const messages = kaasMessages.map((schema) => {
  const { first, last } = parseVersions(schema.validVersions);
  const versions = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return { name: schema.name, schema, versions, codec: codecOf(schema.name) };
});

describe.each(messages)("$name", ({ schema, versions, codec }) => {
  test("what is encoded decodes to itself", () => {
    for (const version of versions) {
      fc.assert(
        fc.property(arbitraryMessage(schema, version), (message) => {
          const bytes = codec.encode(message, version);
          const decoded = codec.decode(bytes, version);
          expect(decoded).toMatchObject(message);
          expect(codec.encode(decoded, version).equals(bytes)).toBe(true);
        }),
        { numRuns: 12 },
      );
    }
  });

  test("every prefix is malformed, and damaged bytes decode or are malformed", () => {
    for (const version of versions) {
      const damage = fc.tuple(arbitraryMessage(schema, version), fc.array(fc.nat(), { minLength: 8, maxLength: 8 }));
      fc.assert(
        fc.property(damage, ([message, places]) => {
          const bytes = codec.encode(message, version);
          const step = Math.max(1, Math.floor(bytes.length / 100));
          for (let size = 0; size < bytes.length; size += step) {
            expect(decodeOrRefuse(codec, bytes.subarray(0, size), version)).toBeUndefined();
          }
          if (bytes.length === 0) return;
          for (const place of places) decodeOrRefuse(codec, flip(bytes, place % (bytes.length * 8)), version);
        }),
        { numRuns: 4 },
      );
    }
  });

  test("junk decodes or is malformed", () => {
    const junk = fc.tuple(fc.constantFrom(...versions), fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(junk, ([version, bytes]) => {
        decodeOrRefuse(codec, Buffer.from(bytes), version);
      }),
      { numRuns: 60 },
    );
  });

  test("a huge length in the place of any byte costs nothing", () => {
    const before = process.memoryUsage();
    for (const version of versions) {
      const [message] = fc.sample(arbitraryMessage(schema, version), { numRuns: 1, seed: 7 });
      const bytes = codec.encode(message, version);
      const step = Math.max(1, Math.floor(bytes.length / 40));
      for (let at = 0; at < bytes.length; at += step) {
        for (const length of HUGE_LENGTHS) {
          const damaged = Buffer.concat([bytes.subarray(0, at), length, bytes.subarray(at + 1)]);
          decodeOrRefuse(codec, damaged, version);
        }
      }
    }
    const after = process.memoryUsage();
    expect(after.heapTotal + after.external - before.heapTotal - before.external).toBeLessThan(64 << 20);
  });
});
