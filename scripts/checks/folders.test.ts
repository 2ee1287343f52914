import { expect, test } from "vitest";
import { sourceFile } from "./fixtures.js";
import { checkFolders } from "./folders.js";

const check = (path: string, line: string) => checkFolders([sourceFile(`packages/kaas-core/src/${path}`, line)]);

test("a folder loads what lies below it", () => {
  expect(check("api/00-produce.ts", 'import { a } from "../records/batch.js";')).toEqual([]);
  expect(check("groups/classic/join.ts", 'import { a } from "../../wire/reader.js";')).toEqual([]);
  expect(check("groups/classic/join.ts", 'import { a } from "../deadline-queue.js";')).toEqual([]);
});

test("and not what lies above", () => {
  const [finding] = check("groups/classic/join.ts", 'import { a } from "../../api/index.js";');
  expect(finding?.message).toBe("groups/ must not load api");
  expect(check("wire/reader.ts", 'import { a } from "../index.js";')[0]?.message).toBe("wire/ must not load the entry");
});

test("interfaces may be mentioned, and the composition may load everything", () => {
  expect(check("wire/reader.ts", 'import type { A } from "../groups/group.js";')).toEqual([]);
  expect(check("broker.ts", 'import { a } from "./server/kafka-server.js";')).toEqual([]);
});

test("requests and connections may not, by whoever knows none", () => {
  const line = 'import type { A } from "../api/api-handler.js";';
  expect(check("groups/group.ts", line)[0]?.message).toBe("groups/ must not load api");
  expect(check("server/exchange.ts", line)).toEqual([]);
});

test("a folder that the table does not know is refused", () => {
  expect(check("new/a.ts", "")).toHaveLength(1);
});
