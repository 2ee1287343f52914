import * as fs from "node:fs/promises";
import { findLockHolder } from "../file-system/directory-lock.js";
import { isErrno } from "../file-system/file-system.js";
import { posixFileSystem } from "../file-system/posix.js";
import type { FileStatus, InspectionHost, LockHolder } from "./inspection-host.js";

/** Of the 104 to 108 bytes that a socket's address may have, what is left for the directory. */
const SOCKET_DIRECTORY_BYTES_MAX = 60;

/** The machine that this process runs on. */
class PosixInspectionHost implements InspectionHost {
  async statusOf(path: string): Promise<FileStatus | undefined> {
    try {
      const status = await fs.lstat(path);
      return {
        userId: status.uid,
        groupId: status.gid,
        mode: status.mode & 0o7777,
        isDirectory: status.isDirectory(),
        isOther: !status.isDirectory() && !status.isFile(),
        modifiedMs: Math.floor(status.mtimeMs),
      };
    } catch (error) {
      if (isErrno(error, "ENOENT") || isErrno(error, "EACCES") || isErrno(error, "ENOTDIR")) return undefined;
      throw error;
    }
  }

  async lockHolderOf(directory: string): Promise<LockHolder | undefined> {
    if (Buffer.byteLength(directory) <= SOCKET_DIRECTORY_BYTES_MAX) {
      return findLockHolder(posixFileSystem, directory, directory);
    }
    // Addresses of sockets are short; a descriptor's name in /proc is shorter than any of them.
    const handle = await fs.open(directory, "r");
    try {
      return await findLockHolder(posixFileSystem, directory, `/proc/self/fd/${handle.fd}`);
    } finally {
      await handle.close();
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }
}

/** This machine, by Node's `fs`. Has no state: there is one for the whole process. */
export const posixInspectionHost: InspectionHost = new PosixInspectionHost();
