import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { uuidText } from "./uuid-texts.js";

/** Few enough that they meet in the cache's places, again and again. */
const uuids = fc.uniqueArray(fc.uint8Array({ minLength: 16, maxLength: 16 }), { minLength: 1, maxLength: 8 });
const lastBytes = fc.integer({ min: 0, max: 3 });

test.prop([uuids, lastBytes, fc.array(fc.nat(7), { maxLength: 50 })])(
  "every UUID has its own text, whichever was read before it",
  (some, last, order) => {
    const padding = Buffer.from([1, 2, 3]);
    for (const index of order) {
      const uuid = Buffer.from(some[index % some.length] as Uint8Array);
      uuid[15] = last;
      const buffer = Buffer.concat([padding, uuid, padding]);
      const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
      expect(uuidText(buffer, view, padding.length)).toBe(uuid.toString("base64url"));
    }
  },
);
