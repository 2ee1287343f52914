import { expect, test } from "vitest";
import { ErrorCode, type ErrorName, errorName, isRetriable } from "../../src/errors/error-codes.js";
import { lines } from "./jar-data.js";

/** As `java/ErrorTable.java` prints it. */
interface KafkaError {
  readonly name: ErrorName;
  readonly code: number;
  readonly retriable: boolean;
}

const table = [...lines<KafkaError>("errors-4.4.0.jsonl")];

test("names and numbers are Kafka's, no more and no less", () => {
  expect(ErrorCode).toEqual(Object.fromEntries(table.map(({ name, code }) => [name, code])));
  for (const { name, code } of table) expect(errorName(code)).toBe(name);
});

test("a number that is no error reads as clients read it", () => {
  for (const code of [-2, 137, 30000]) expect(errorName(code)).toBe("UNKNOWN_SERVER_ERROR");
});

test("the errors that clients retry are Kafka's", () => {
  const expected = table.filter(({ retriable }) => retriable).map(({ name }) => name);
  expect(table.filter(({ code }) => isRetriable(code)).map(({ name }) => name)).toEqual(expected);
});
