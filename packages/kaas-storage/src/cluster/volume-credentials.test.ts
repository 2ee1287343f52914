import { deriveScramCredential, silentLog } from "@kaas/core";
import { expect, test, vi } from "vitest";
import { CLUSTER_DIRECTORY, emptyClusterDirectory, PollingClock } from "../testing/cluster-directory.js";
import type { LosingFileSystem } from "../testing/losing-file-system.js";
import { recordingLog } from "../testing/open-test-volume.js";
import { TestClock, TestRandom } from "../testing/test-clock.js";
import { CredentialsFile, withQuota, withUser } from "./credentials-file.js";
import { recordOf, VolumeCredentials } from "./volume-credentials.js";

// Loaded when a document is first read, which takes longer than a test waits.
await import("../documents/document-schemas.js");

const PATH = `${CLUSTER_DIRECTORY}/credentials.json`;
const SHA_256 = "SCRAM-SHA-256";
const SHA_512 = "SCRAM-SHA-512";
/** Tells what is stuck from what is slow. */
const WAIT = { timeout: 60_000 };
const salt = Buffer.from("0123456789");
const ofPassword = (password: string, mechanism: typeof SHA_256 | typeof SHA_512 = SHA_512) =>
  deriveScramCredential(mechanism, password, salt, 4096);

async function follow(fileSystem: LosingFileSystem, log = recordingLog()) {
  const clock = new PollingClock();
  const files = { fileSystem, random: new TestRandom(7) };
  const credentials = new VolumeCredentials({ files, directory: CLUSTER_DIRECTORY, clock, log });
  await credentials.start();
  return {
    credentials,
    clock,
    log,
    poll: () => clock.poll(),
  };
}

test("what one changes, another one sees a second later, and after a crash", async () => {
  const fileSystem = await emptyClusterDirectory();
  const writer = await follow(fileSystem);
  const reader = await follow(fileSystem);
  let changes = 0;
  reader.credentials.onChange(() => changes++);
  const [one, other] = await Promise.all([ofPassword("a"), ofPassword("b", SHA_256)]);
  const none = new Set<never>();
  await Promise.all([
    writer.credentials.alterScram({ user: "alice", upserts: new Map([[SHA_512, one]]), deletions: none }),
    writer.credentials.alterScram({ user: "alice", upserts: new Map([[SHA_256, other]]), deletions: none }),
    writer.credentials.alterScram({ user: "__proto__", upserts: new Map([[SHA_512, one]]), deletions: none }),
    writer.credentials.alterQuotas({ entity: { user: "alice", clientId: null }, limits: { producer_byte_rate: 5 } }),
    writer.credentials.alterQuotas({ entity: { user: null }, limits: { request_percentage: 0.5 } }),
  ]);
  expect([...writer.credentials.users()].sort()).toEqual(["__proto__", "alice"]);
  expect([...reader.credentials.users()]).toEqual([]);
  await reader.poll();
  expect(changes).toBe(1);
  expect(reader.credentials.scram("alice")).toEqual(
    new Map([
      [SHA_512, one],
      [SHA_256, other],
    ]),
  );
  expect(reader.credentials.scram("__proto__")).toEqual(new Map([[SHA_512, one]]));
  expect(reader.credentials.scram("toString")).toBeUndefined();
  expect(reader.credentials.decoySecret).toEqual(writer.credentials.decoySecret);
  await writer.credentials.alterScram({ user: "alice", upserts: new Map(), deletions: new Set([SHA_256, SHA_512]) });
  await writer.credentials.alterQuotas({
    entity: { clientId: null, user: "alice" },
    limits: { consumer_byte_rate: 6 },
  });
  await writer.credentials.alterQuotas({ entity: { user: null }, limits: { request_percentage: null } });
  const after = await follow(fileSystem.crashed());
  expect([...after.credentials.users()]).toEqual(["__proto__"]);
  expect(after.credentials.quotas()).toEqual([
    { entity: { clientId: null, user: "alice" }, limits: { producer_byte_rate: 5, consumer_byte_rate: 6 } },
  ]);
  for (const { credentials } of [writer, reader, after]) credentials.close();
});

function newGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test("who asks sees what was durable before, and however many ask at once are answered by one look each way", async () => {
  const fileSystem = await emptyClusterDirectory();
  const writer = await follow(fileSystem);
  const reader = await follow(fileSystem);
  const upserts = new Map([[SHA_512, await ofPassword("a")]] as const);
  await writer.credentials.alterScram({ user: "alice", upserts, deletions: new Set() });
  await reader.credentials.refresh();
  expect([...reader.credentials.users()]).toEqual(["alice"]);

  let looks = 0;
  const gate = newGate();
  fileSystem.beforeRead = async () => {
    looks++;
    await gate.opened;
  };
  const asked = [reader.credentials.refresh()];
  await vi.waitFor(() => expect(looks).toBe(1), WAIT);
  fileSystem.beforeRead = async () => void looks++;
  await writer.credentials.alterScram({ user: "bob", upserts, deletions: new Set() });
  looks = 1; // the writer has looked as well
  asked.push(...Array.from({ length: 100 }, () => reader.credentials.refresh()));
  gate.open();
  await Promise.all(asked);
  expect(looks).toBe(2);
  expect([...reader.credentials.users()].sort()).toEqual(["alice", "bob"]);
  for (const { credentials } of [writer, reader]) credentials.close();
});

test("a volume that does not answer keeps nobody waiting for longer than a second, and is looked at by one", async () => {
  const fileSystem = await emptyClusterDirectory();
  const { credentials, clock } = await follow(fileSystem);
  await credentials.alterQuotas({ entity: { user: null }, limits: { request_percentage: 1 } });
  let looks = 0;
  const gate = newGate();
  fileSystem.beforeRead = async () => {
    looks++;
    await gate.opened;
  };
  const asked = Promise.all([credentials.refresh(), credentials.refresh()]);
  await vi.waitFor(() => expect(looks).toBe(1), WAIT);
  clock.advance(1_000);
  await asked;
  await clock.poll();
  expect(looks).toBe(1);
  gate.open();
  await credentials.refresh();
  credentials.close();
});

test("a file that is gone, broken or older changes nothing, and is named once without what it holds", async () => {
  const fileSystem = await emptyClusterDirectory();
  const { credentials, poll, log } = await follow(fileSystem);
  const credential = await ofPassword("a");
  await credentials.alterScram({ user: "alice", upserts: new Map([[SHA_512, credential]]), deletions: new Set() });
  await credentials.alterScram({ user: "bob", upserts: new Map([[SHA_512, credential]]), deletions: new Set() });
  await poll();
  const good = await fileSystem.readFile(PATH);
  const text = good.toString();
  const messages = (): string[] => log.lines.map(({ message }) => message);
  for (const broken of [text.slice(0, -20), text.replace('"SCRAM-SHA-512":{"salt":"', '"SCRAM-SHA-512":{"salt":"*')]) {
    fileSystem.garble(PATH, () => Buffer.from(broken));
    await poll();
    await poll();
    expect(credentials.scram("alice")?.get(SHA_512)).toEqual(credential);
  }
  expect(messages()).toEqual(Array(2).fill("credentials.json cannot be used; what it said before stays in force"));
  expect(JSON.stringify(log.lines)).not.toContain(credential.storedKey.toString("base64").slice(0, 8));
  const older = text.replace('"generation":2', '"generation":1').replace("alice", "carol");
  fileSystem.garble(PATH, () => Buffer.from(older));
  await poll();
  expect(messages().slice(2)).toEqual([
    "credentials.json has a lower generation than before and is ignored",
    "credentials.json can be used again",
  ]);
  await fileSystem.unlink(PATH);
  await poll();
  expect([...credentials.users()]).toEqual(["alice", "bob"]);
  expect(messages()).toHaveLength(5);
  // What is written next has everything's successor.
  await credentials.alterQuotas({ entity: { ip: null }, limits: { connection_creation_rate: 3 } });
  expect(credentials.generation).toBe(3);
  credentials.close();
});

test.each<[string, (text: string) => string, string]>([
  ["two users of a name", (text) => text.replace('"bob"', '"alice"'), "users: a user is there twice"],
  ["a key of the other hash", (text) => text.replaceAll("SHA-512", "SHA-256"), "storedKey: must be 32 bytes of base64"],
  ["too few iterations", (text) => text.replace("4096", "4095"), "iterations: "],
  ["an unknown format", (text) => text.replace('"format":1', '"format":9'), "its format is 9"],
  [
    "a quota for a user at an address",
    (text) => text.replace('"entity":{', '"entity":{"ip":"::1",'),
    "must name a user",
  ],
])("%s is refused", async (_what, damage, message) => {
  const fileSystem = await emptyClusterDirectory();
  const file = new CredentialsFile({ fileSystem, random: new TestRandom() }, CLUSTER_DIRECTORY);
  const scram = { [SHA_512]: recordOf(await ofPassword("a")) };
  const quota = { entity: { user: "alice" }, limits: { producer_byte_rate: 1 } };
  await file.update((content) => withQuota(withUser(withUser(content, "bob", scram), "alice", scram), quota));
  expect((await file.read())?.users.map(({ name }) => name)).toEqual(["alice", "bob"]);
  fileSystem.garble(PATH, (bytes) => Buffer.from(damage(bytes.toString())));
  await expect(file.read()).rejects.toMatchObject({
    code: "KAAS_VOLUME_INVALID",
    message: expect.stringContaining(message),
  });
});

test("what changes nothing writes nothing", async () => {
  const fileSystem = await emptyClusterDirectory();
  const file = new CredentialsFile({ fileSystem, random: new TestRandom() }, CLUSTER_DIRECTORY);
  const scram = { [SHA_512]: recordOf(await ofPassword("a")) };
  const set = () => file.update((content) => withUser(content, "alice", scram));
  expect((await set()).generation).toBe(1);
  expect((await set()).generation).toBe(1);
  const credentials = new VolumeCredentials({
    files: { fileSystem, random: new TestRandom() },
    directory: CLUSTER_DIRECTORY,
    clock: new TestClock(),
    log: silentLog,
  });
  await credentials.start();
  expect(credentials.generation).toBe(1);
  credentials.close();
});
