import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDiskVolume, temporaryDirectory } from "../../test/disk-volume.js";
import { testSurroundings } from "../../test/test-surroundings.js";
import { completionsFor } from "../completions.js";
import { runKaasctl } from "../run.js";

const folder = temporaryDirectory();
const directory = join(folder.path, "volume");
const file = join(directory, "__cluster", "acls.json");

beforeAll(async () => {
  const volume = await openDiskVolume(directory);
  const acl = { resourceType: "TOPIC", resourceName: "orders-", host: "*" } as const;
  const added = [
    { ...acl, patternType: "PREFIXED", principal: "User:alice", operation: "READ", permission: "ALLOW" },
    { ...acl, patternType: "LITERAL", principal: "User:*", operation: "WRITE", permission: "DENY" },
  ] as const;
  await volume.acls.changeAcls({ added, removed: [] }, 1_000);
  await volume.close();
}, 120_000);

afterAll(() => folder.remove());

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  const { surroundings, text } = testSurroundings({ environment: { KAAS_DATA_DIR: directory } });
  return { code: await runKaasctl(args, surroundings), text: text() };
}

test("all ACLs are listed, or those of one principal", async () => {
  const all = await run("acl", "ls");
  expect(all.code).toBe(0);
  expect(all.text).toMatch(/User:alice +ALLOW +READ +TOPIC +orders-… +\*\n/);
  expect(all.text).toMatch(/User:\* +DENY +WRITE +TOPIC +orders- +\*\n/);
  const [own] = [JSON.parse((await run("acl", "ls", "User:alice", "-o", "json")).text)];
  expect(own).toMatchObject({ generation: 1, acls: [{ principal: "User:alice" }], findings: [] });
  expect(await completionsFor(["acl", ""], testSurroundings().surroundings)).toEqual(["ls"]);
});

test("a file that cannot be used is said, by the doctor as well", async () => {
  writeFileSync(file, '{"format":1,"generation":2,"acls":[{}]}');
  const listed = await run("acl", "ls", "-o", "json");
  expect(listed.code).toBe(1);
  expect(JSON.parse(listed.text)).toMatchObject({ acls: [], findings: [{ code: "document-invalid", file }] });
  const examined = await run("doctor", "-o", "json");
  expect(examined.code).toBe(1);
  expect(JSON.parse(examined.text)).toMatchObject({ findings: [{ code: "document-invalid", file }] });
});
