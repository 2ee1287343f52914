import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deriveScramCredential } from "@kaas/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDiskVolume, temporaryDirectory } from "../../test/disk-volume.js";
import { testSurroundings } from "../../test/test-surroundings.js";
import { completionsFor } from "../completions.js";
import { runKaasctl } from "../run.js";

const folder = temporaryDirectory();
const directory = join(folder.path, "volume");
const file = join(directory, "__cluster", "credentials.json");
let pristine: string;
let secrets: readonly string[];

beforeAll(async () => {
  const volume = await openDiskVolume(directory);
  const credential = await deriveScramCredential("SCRAM-SHA-512", "secret", Buffer.from("some salt"), 8192);
  secrets = [credential.salt, credential.storedKey, credential.serverKey].map((bytes) => bytes.toString("base64"));
  const upserts = new Map([["SCRAM-SHA-512" as const, credential]]);
  await volume.credentials.alterScram({ user: "alice", upserts, deletions: new Set() });
  const limits = { producer_byte_rate: 1024, request_percentage: 50 };
  await volume.credentials.alterQuotas({ entity: { user: "alice", clientId: null }, limits });
  await volume.credentials.alterQuotas({ entity: { user: null }, limits: { consumer_byte_rate: 9 } });
  const acl = { resourceType: "TOPIC", resourceName: "orders-", patternType: "PREFIXED", host: "*" } as const;
  const added = [
    { ...acl, principal: "User:alice", operation: "READ", permission: "ALLOW" },
    { ...acl, principal: "User:CN=bob", operation: "WRITE", permission: "DENY" },
    { ...acl, principal: "User:*", operation: "DESCRIBE", permission: "ALLOW" },
  ] as const;
  await volume.acls.changeAcls({ added, removed: [] }, 1_000);
  await volume.close();
  pristine = readFileSync(file, "utf8");
}, 120_000);

afterAll(() => folder.remove());

async function run(...args: string[]): Promise<{ code: number; text: string; errors: string }> {
  const { surroundings, text, errors } = testSurroundings({ environment: { KAAS_DATA_DIR: directory } });
  const code = await runKaasctl(args, surroundings);
  return { code, text: text(), errors: errors() };
}

test("user ls names all that can log in, are limited, or are named by ACLs", async () => {
  const { code, text } = await run("user", "ls");
  expect(code).toBe(0);
  expect(text).toMatch(/alice +SCRAM-SHA-512 +1 +1\n/);
  expect(text).toMatch(/CN=bob +- +0 +1\n/);
  expect(text.trim().split("\n")).toHaveLength(3);
});

test("user describe tells all but secrets", async () => {
  const { code, text } = await run("user", "describe", "alice");
  expect(code).toBe(0);
  expect(text).toMatch(/login +SCRAM-SHA-512 \(8192 iterations\)\n/);
  expect(text).toMatch(/quota +producer_byte_rate=1024 request_percentage=50 for any other client id\n/);
  expect(text).toMatch(/acl +ALLOW READ on TOPIC orders-… from \*\n/);
  const asJson = await run("user", "describe", "alice", "-o", "json");
  for (const secret of secrets) expect(text + asJson.text).not.toContain(secret);
  expect((await run("user", "describe", "nobody")).code).toBe(2);
});

test("names are completed", async () => {
  const { surroundings } = testSurroundings({ environment: { KAAS_DATA_DIR: directory } });
  expect(await completionsFor(["user", ""], surroundings)).toEqual(["ls", "describe"]);
  expect(await completionsFor(["user", "describe", "a"], surroundings)).toEqual(["alice"]);
});

test.each<[string, (text: string) => string, string]>([
  ["what is no JSON", (text) => text.slice(0, -40), "json-unreadable"],
  ["a key that is cut off", (text) => text.replace('storedKey":"', 'storedKey":"A'), "document-invalid"],
  ["a newer format", (text) => text.replace('"format":1', '"format":99'), "format-unknown"],
])("the doctor finds %s, and quotes none of it", async (_what, damage, finding) => {
  writeFileSync(file, damage(pristine));
  const { code, text } = await run("doctor", "-o", "json");
  const listed = await run("user", "ls");
  writeFileSync(file, pristine);
  expect(code).toBe(1);
  expect(listed.code).toBe(1);
  expect(JSON.parse(text)).toMatchObject({ findings: [{ code: finding, file }] });
  for (const secret of secrets) expect(text + listed.text).not.toContain(secret.slice(0, 10));
});

test("the doctor finds keys that others may read", async () => {
  chmodSync(file, 0o640);
  const { text } = await run("doctor", "-o", "json");
  chmodSync(file, 0o600);
  expect(JSON.parse(text)).toMatchObject({ findings: [{ code: "secrets-exposed", file }] });
});
