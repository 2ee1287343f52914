import { expect, test } from "vitest";
import { contentValue, counted, shownBytes, shownContent, shownNumber, shownTime } from "./shown.js";

test.for([
  [0, "0 B"],
  [1_023, "1023 B"],
  [1_536, "1.5 KiB"],
  [1_048_576, "1.0 MiB"],
  [5 * 1024 ** 4, "5.0 TiB"],
  [3 * 1024 ** 6, "3072.0 PiB"],
] as const)("%i bytes are %s", ([bytes, text]) => {
  expect(shownBytes(bytes)).toBe(text);
});

test("times that are none are shown as none", () => {
  expect([null, undefined, -1].map(shownTime)).toEqual(["-", "-", "-"]);
  expect(shownTime(0)).toBe("1970-01-01T00:00:00.000Z");
  expect(shownTime(Number.MAX_SAFE_INTEGER)).toBe(String(Number.MAX_SAFE_INTEGER));
});

test("numbers that stand for none, and one of a thing", () => {
  expect([-1, undefined, 0].map(shownNumber)).toEqual(["-", "-", "0"]);
  expect([counted(1, "batch", "batches"), counted(2, "batch", "batches"), counted(0, "step")]).toEqual([
    "1 batch",
    "2 batches",
    "0 steps",
  ]);
});

test("text is text, and anything that would move a cursor is not", () => {
  expect(shownContent(null)).toBe("null");
  expect(shownContent(Buffer.from('a\n"b" é'))).toBe('"a\\n\\"b\\" é"');
  expect(shownContent(Buffer.from("\u001b[31m"))).toBe("base64:G1szMW0=");
  expect(shownContent(Buffer.from([0xff, 0xfe]))).toBe("base64://4=");
  expect(contentValue(Buffer.from("x"))).toEqual({ text: "x" });
  expect(contentValue(Buffer.from([0]))).toEqual({ base64: "AA==" });
  expect(contentValue(null)).toBeNull();
});
