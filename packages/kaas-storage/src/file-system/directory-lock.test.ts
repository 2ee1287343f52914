import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { KaasErrorCode } from "@kaas/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findLockHolder, lockDirectory } from "./directory-lock.js";
import { MemoryFileSystem } from "./memory.js";
import { posixFileSystem } from "./posix.js";

let directory = "";
const children: ChildProcess[] = [];
beforeEach(async () => {
  directory = await mkdtemp(`${tmpdir()}/kaas-lock-`);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  await rm(directory, { recursive: true });
});

/** A process that takes the lock and keeps it. */
async function holder(path: string): Promise<ChildProcess> {
  const module = fileURLToPath(new URL("../testing/lock-holder.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", module, path], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  await once(child.stdout as NodeJS.EventEmitter, "data");
  return child;
}

test("a second holder is refused, and told who has it", async () => {
  const lock = await posixFileSystem.lock(directory);
  await expect(posixFileSystem.lock(directory)).rejects.toMatchObject({ code: KaasErrorCode.KAAS_VOLUME_LOCKED });
  await expect(posixFileSystem.lock(directory)).rejects.toThrow(`in use by process ${process.pid}`);
  await expect(posixFileSystem.lock(directory)).rejects.toThrow(directory);
  await lock.release();
  await (await posixFileSystem.lock(directory)).release();
});

test("a process that was killed holds nothing", async () => {
  const child = await holder(directory);
  await expect(posixFileSystem.lock(directory)).rejects.toThrow(`in use by process ${child.pid}`);
  child.kill("SIGKILL");
  await once(child, "exit");
  const lock = await posixFileSystem.lock(directory);
  await expect(posixFileSystem.lock(directory)).rejects.toMatchObject({ code: KaasErrorCode.KAAS_VOLUME_LOCKED });
  await lock.release();
  // The claim of the last holder stays, everything older goes.
  expect((await readdir(directory)).filter((name) => name.endsWith(".json"))).toHaveLength(1);
  expect((await readdir(directory)).filter((name) => name.endsWith(".sock"))).toHaveLength(0);
});

test("of many that come at once, one gets it", async () => {
  for (let round = 0; round < 5; round++) {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => posixFileSystem.lock(directory)));
    const won = outcomes.filter((one) => one.status === "fulfilled");
    expect(won).toHaveLength(1);
    for (const one of outcomes) {
      if (one.status === "rejected") expect(one.reason).toMatchObject({ code: KaasErrorCode.KAAS_VOLUME_LOCKED });
      else await one.value.release();
    }
  }
});

test("a directory with a long path", async () => {
  const long = `${directory}/${"long".repeat(40)}`;
  await mkdir(long);
  const lock = await posixFileSystem.lock(long);
  await expect(posixFileSystem.lock(long)).rejects.toMatchObject({ code: KaasErrorCode.KAAS_VOLUME_LOCKED });
  await lock.release();
  await (await posixFileSystem.lock(long)).release();
  expect((await readdir(long)).filter((name) => name.endsWith(".sock"))).toHaveLength(0);
});

test("in memory, within the process", async () => {
  const fileSystem = new MemoryFileSystem();
  const lock = await fileSystem.lock("/a");
  await expect(fileSystem.lock("/a")).rejects.toMatchObject({ code: KaasErrorCode.KAAS_VOLUME_LOCKED });
  await (await fileSystem.lock("/b")).release();
  await lock.release();
  await (await fileSystem.lock("/a")).release();
});

test("a directory in which nothing may be made is told with what to do", async () => {
  const gone = `${directory}/gone`; // Node says EACCES of it
  await expect(lockDirectory(posixFileSystem, directory, gone)).rejects.toMatchObject({
    code: KaasErrorCode.KAAS_STORAGE_FAILED,
    message: expect.stringMatching(/cannot be locked: this user lacks the right: grant it/),
  });
});

test("a claim that is a link to nowhere holds nobody up", async () => {
  await symlink("nowhere", `${directory}/lock-0000000003.json`);
  expect(await findLockHolder(posixFileSystem, directory, directory)).toBeUndefined();
  const lock = await posixFileSystem.lock(directory);
  expect(await findLockHolder(posixFileSystem, directory, directory)).toMatchObject({ pid: process.pid });
  await lock.release();
});
