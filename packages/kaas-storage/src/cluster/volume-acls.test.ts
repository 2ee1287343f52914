import type { AclBinding } from "@kaas/core";
import { expect, test } from "vitest";
import { CLUSTER_DIRECTORY, emptyClusterDirectory, PollingClock } from "../testing/cluster-directory.js";
import type { LosingFileSystem } from "../testing/losing-file-system.js";
import { recordingLog } from "../testing/open-test-volume.js";
import { TestRandom } from "../testing/test-clock.js";
import { AclsFile } from "./acls-file.js";
import { VolumeAcls } from "./volume-acls.js";

const PATH = `${CLUSTER_DIRECTORY}/acls.json`;

function acl(parts: Partial<AclBinding> = {}): AclBinding {
  return {
    resourceType: "TOPIC",
    patternType: "LITERAL",
    resourceName: "t",
    principal: "User:alice",
    host: "*",
    operation: "READ",
    permission: "ALLOW",
    ...parts,
  };
}

async function follow(fileSystem: LosingFileSystem) {
  const clock = new PollingClock();
  const log = recordingLog();
  const files = { fileSystem, random: new TestRandom(7) };
  const acls = new VolumeAcls({ files, directory: CLUSTER_DIRECTORY, clock, log });
  await acls.start();
  return {
    acls,
    log,
    poll: () => clock.poll(),
  };
}

async function write(fileSystem: LosingFileSystem, content: string): Promise<void> {
  if ((await fileSystem.list(CLUSTER_DIRECTORY)).some(({ name }) => name === "acls.json")) {
    fileSystem.garble(PATH, () => Buffer.from(content));
    return;
  }
  const handle = await fileSystem.open(PATH, "create");
  await handle.writev([Buffer.from(content)], 0);
  await handle.close();
}

test("what one changes, another one sees a second later, and after a crash", async () => {
  const fileSystem = await emptyClusterDirectory();
  const writer = await follow(fileSystem);
  const reader = await follow(fileSystem);
  let changes = 0;
  reader.acls.onChange(() => changes++);
  expect(await writer.acls.changeAcls({ added: [acl(), acl({ operation: "WRITE" })], removed: [] })).toBeUndefined();
  await writer.acls.changeAcls({ added: [acl({ host: "10.0.0.1" })], removed: [acl()] });
  const expected = [acl({ operation: "WRITE" }), acl({ host: "10.0.0.1" })];
  expect(writer.acls.bindings()).toEqual(expected);
  expect(reader.acls.bindings()).toEqual([]);
  await reader.poll();
  expect(changes).toBe(1);
  expect(reader.acls.bindings()).toEqual(expected);
  expect((await follow(fileSystem.crashed())).acls.bindings()).toEqual(expected);
  expect(JSON.parse(String(await fileSystem.readFile(PATH)))).toEqual({ format: 1, generation: 2, acls: expected });
});

test("what is there already, or is not there, changes nothing", async () => {
  const fileSystem = await emptyClusterDirectory();
  const { acls } = await follow(fileSystem);
  await acls.changeAcls({ added: [acl(), acl()], removed: [acl({ host: "9" })] });
  await acls.changeAcls({ added: [acl()], removed: [acl({ host: "9" })] });
  expect(acls.bindings()).toEqual([acl()]);
  expect(acls.generation).toBe(1);
});

test("a file that is gone, broken or older changes nothing, and the log says so once", async () => {
  const fileSystem = await emptyClusterDirectory();
  const reader = await follow(fileSystem);
  await write(fileSystem, JSON.stringify({ format: 1, generation: 5, acls: [acl()] }));
  await reader.poll();
  expect(reader.acls.generation).toBe(5);
  for (const content of [
    "{",
    JSON.stringify({ format: 1, generation: 6, acls: [{ ...acl(), operation: "DANCE" }] }),
    JSON.stringify({ format: 1, generation: 6, acls: [acl({ principal: "alice" })] }),
    JSON.stringify({ format: 1, generation: 6, acls: [acl({ resourceName: "" })] }),
    JSON.stringify({ format: 1, generation: 4, acls: [] }),
  ]) {
    await write(fileSystem, content);
    await reader.poll();
    await reader.poll();
    expect(reader.acls.bindings()).toEqual([acl()]);
  }
  await fileSystem.unlink(PATH);
  await reader.poll();
  expect(reader.acls.bindings()).toEqual([acl()]);
  const errors = reader.log.lines.filter(({ level }) => level === "error");
  expect(errors).toHaveLength(5);
  await write(fileSystem, JSON.stringify({ format: 1, generation: 7, acls: [] }));
  await reader.poll();
  expect(reader.acls.bindings()).toEqual([]);
});

test("a broken file stops the start, and is named", async () => {
  const fileSystem = await emptyClusterDirectory();
  await write(fileSystem, '{"format":1,"generation":1}');
  await expect(follow(fileSystem)).rejects.toMatchObject({
    code: "KAAS_VOLUME_INVALID",
    message: expect.stringContaining(`${PATH} is not usable: acls`),
  });
});

test("the operator rebuilds it as a whole", async () => {
  const fileSystem = await emptyClusterDirectory();
  const file = new AclsFile({ fileSystem, random: new TestRandom(1) }, CLUSTER_DIRECTORY);
  expect(await file.read()).toBeUndefined();
  await file.update(() => [acl({ resourceName: "b" }), acl({ resourceName: "a" })]);
  const rebuilt = await file.update(() => [acl({ resourceName: "a" })], 9);
  expect(rebuilt).toEqual({ generation: 10, acls: [acl({ resourceName: "a" })] });
  expect(await file.update(() => [acl({ resourceName: "a" })])).toEqual(rebuilt);
});
