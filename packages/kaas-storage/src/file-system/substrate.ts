import { readFile, realpath } from "node:fs/promises";
import { KaasError, type Log, type Random } from "@kaas/core";
import { cautionAbout, type Mount, mountOf, objectionTo, parseMountInfo } from "./mount-info.js";
import { posixFileSystem } from "./posix.js";

const MOUNT_INFO = "/proc/self/mountinfo";
const TEST_BYTES = 4_096;

/**
 * Refuses a directory that brokers of several machines cannot safely share: by the options that its mount has in force,
 * which need not be those that were asked for, and by whether a read past the cache works. Rejects with
 * `KAAS_STORAGE_FAILED`, naming the option and what to do.
 */
export async function checkSubstrate(directory: string, random: Random): Promise<void> {
  let objection: string | undefined;
  try {
    objection = (await objectionToMount(directory)) ?? (await directReadFailure(directory, random));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KaasError("KAAS_STORAGE_FAILED", `${directory}: whether it can be shared is not known: ${reason}`, {
      cause,
    });
  }
  if (objection !== undefined) {
    throw new KaasError("KAAS_STORAGE_FAILED", `${directory} cannot be shared by several brokers: ${objection}`);
  }
}

/**
 * Warns of how the directory of a single process is mounted, where that may cost what was acknowledged. On systems that
 * do not tell, nothing is said.
 */
export async function warnOfMount(directory: string, log: Log): Promise<void> {
  const caution = await mountAt(directory).then(
    (mount) => mount && cautionAbout(mount),
    () => undefined,
  );
  if (caution !== undefined) log.warn({ directory }, caution);
}

async function mountAt(directory: string): Promise<Mount | undefined> {
  const path = await realpath(directory);
  return mountOf(path, parseMountInfo(await readFile(MOUNT_INFO, "utf8")));
}

async function objectionToMount(directory: string): Promise<string | undefined> {
  const mount = await mountAt(directory);
  return mount === undefined ? `no mount in ${MOUNT_INFO} has it` : objectionTo(mount);
}

/** Writes a file, and reads it as a fuse is read. */
async function directReadFailure(directory: string, random: Random): Promise<string | undefined> {
  const path = `${directory}/tmp-${random.uuid()}`;
  const written = Buffer.alloc(TEST_BYTES, random.uuid());
  try {
    const writer = await posixFileSystem.open(path, "create");
    try {
      await writer.writev([written], 0);
      await writer.dataSync();
    } finally {
      await writer.close();
    }
    const reader = await posixFileSystem.open(path, "uncached");
    try {
      const read = Buffer.alloc(TEST_BYTES);
      await reader.read(read, 0);
      return read.equals(written) ? undefined : "a read past the cache (O_DIRECT) does not find what was written";
    } finally {
      await reader.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `a read past the cache (O_DIRECT) fails: ${reason}; use a file system that supports it, such as NFS 4`;
  } finally {
    await posixFileSystem.unlink(path).catch(() => undefined); // the failure that counts has been told
  }
}
