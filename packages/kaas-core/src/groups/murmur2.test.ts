import { expect, test } from "vitest";
import { murmur2, slotOf } from "./murmur2.js";

// Computed with the hash of Apache Kafka's clients.
test.each([
  ["", 275646681],
  ["a", -1563381124],
  ["ab", 316155434],
  ["abc", 479470107],
  ["21", -973932308],
  ["foobar", -790332482],
  ["kafka-group", -566564998],
  ["Grüße", 1190824359],
  ["a-little-bit-long-string", -985981536],
  ["console-consumer-12345", -519576848],
])("murmur2 of %j", (text, hash) => {
  expect(murmur2(Buffer.from(text))).toBe(hash);
});

test("a slot is what volumes of earlier versions say it is", () => {
  expect(slotOf("a", 50)).toBe((-1563381124 & 0x7fffffff) % 50);
  expect([slotOf("abc", 50), slotOf("foobar", 50), slotOf("", 50), slotOf("x", 1)]).toEqual([7, 16, 31, 0]);
});
