/**
 * Exclusive use of a directory by one process of this machine, containers included.
 *
 * Node has no flock. A process that holds the lock listens on a socket in the directory; the kernel stops answering
 * for it the moment the process ends, however it ends, and a path finds the socket across containers where a process
 * id means nothing.
 *
 * ```
 * lock-0000000007.json    who holds it: claimed once, by a link that only one process can make; never reused
 * lock-<nonce>.sock       the holder's socket: listening before the claim is made
 * ```
 *
 * To take it: listen → find the highest claim → its socket answers: locked. It does not: claim the next number → list
 * again, and yield to a higher claim → remove what is older. Two processes that find the same dead holder race for
 * the same number, and one wins.
 */
import { randomUUID } from "node:crypto";
import { connect, createServer, type Server } from "node:net";
import { hostname } from "node:os";
import { KaasError } from "@kaas/core";
import type { DocumentTypes } from "../documents/document-types.js";
import { encodeDocument, readDocument } from "../documents/documents.js";
import { claimFile } from "../documents/durable-files.js";
import { type DirectoryLock, type FileSystem, isErrno, removeFile } from "./file-system.js";
import { remedyFor } from "./storage-failure.js";

const CLAIM = /^lock-(\d{10})\.json$/;
const SOCKET = /^lock-[0-9a-f]+\.sock$/;

export async function lockDirectory(
  fileSystem: FileSystem,
  directory: string,
  socketDirectory: string,
): Promise<DirectoryLock> {
  const socket = `lock-${nonce()}.sock`;
  const server = await listen(`${socketDirectory}/${socket}`, directory);
  try {
    const mine = await claim(fileSystem, directory, socketDirectory, socket);
    await sweep(fileSystem, directory, mine);
  } catch (error) {
    await close(server);
    throw error;
  }
  return { release: () => close(server) };
}

/**
 * The process that has a directory, found out without taking anything; undefined when none has. One whose socket we
 * may not ask counts as alive.
 */
export async function findLockHolder(
  fileSystem: FileSystem,
  directory: string,
  socketDirectory: string,
): Promise<DocumentTypes["lock"] | undefined> {
  for (let before = -1; ; ) {
    const highest = await highestClaim(fileSystem, directory);
    // One that is listed, not there, and listed again leads nowhere: a claim that was swept does not come back.
    if (highest < 0 || highest === before) return undefined;
    before = highest;
    try {
      const holder = await readDocument(fileSystem, `${directory}/${claimName(highest)}`, "lock");
      return (await answers(`${socketDirectory}/${holder.socket}`)) ? holder : undefined;
    } catch (error) {
      if (!isErrno(error, "ENOENT")) throw error; // else a new holder has just swept it
    }
  }
}

/** Claims the next number, unless a process that lives has the highest. */
async function claim(
  fileSystem: FileSystem,
  directory: string,
  socketDirectory: string,
  socket: string,
): Promise<number> {
  const random = { uuid: nonce, integer: () => 0 };
  const content = encodeDocument("lock", { pid: process.pid, host: hostname(), socket });
  for (;;) {
    const highest = await highestClaim(fileSystem, directory);
    if (highest >= 0) await refuseIfHeld(fileSystem, directory, socketDirectory, highest);
    const mine = highest + 1;
    const won = await claimFile({ fileSystem, random }, directory, claimName(mine), content);
    if (won && (await highestClaim(fileSystem, directory)) === mine) return mine;
  }
}

async function refuseIfHeld(
  fileSystem: FileSystem,
  directory: string,
  socketDirectory: string,
  highest: number,
): Promise<void> {
  let holder: DocumentTypes["lock"];
  try {
    holder = await readDocument(fileSystem, `${directory}/${claimName(highest)}`, "lock");
  } catch (error) {
    // A higher claim has come meanwhile and swept this one: the next look at the directory decides.
    if (isErrno(error, "ENOENT")) return;
    throw error;
  }
  if (!(await answers(`${socketDirectory}/${holder.socket}`))) return;
  throw new KaasError(
    "KAAS_VOLUME_LOCKED",
    `${directory} is in use by process ${holder.pid} on ${holder.host}; stop it, or choose another data directory`,
  );
}

async function highestClaim(fileSystem: FileSystem, directory: string): Promise<number> {
  let highest = -1;
  for (const { name } of await fileSystem.list(directory)) {
    const match = CLAIM.exec(name);
    if (match !== null) highest = Math.max(highest, Number(match[1]));
  }
  return highest;
}

/** Removes the claims below ours, and the sockets they name. A racing sweep may be quicker. */
async function sweep(fileSystem: FileSystem, directory: string, mine: number): Promise<void> {
  for (const { name } of await fileSystem.list(directory)) {
    const match = CLAIM.exec(name);
    if (match === null || Number(match[1]) >= mine) continue;
    const path = `${directory}/${name}`;
    try {
      const holder = await readDocument(fileSystem, path, "lock");
      if (SOCKET.test(holder.socket)) await removeFile(fileSystem, `${directory}/${holder.socket}`);
      await fileSystem.unlink(path);
    } catch (error) {
      if (!isErrno(error, "ENOENT")) throw error;
    }
  }
}

function claimName(number: number): string {
  return `lock-${String(number).padStart(10, "0")}.json`;
}

/** The clock and randomness of the process decide nothing here but a name that nobody else has. */
function nonce(): string {
  return randomUUID().replaceAll("-", "");
}

function listen(path: string, directory: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const why = remedyFor(cause) ?? `its file system makes no sockets (${cause.message})`;
      reject(new KaasError("KAAS_STORAGE_FAILED", `${directory} cannot be locked: ${why}`, { cause }));
    });
    server.listen(path, () => resolve(server));
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error) => {
      if (isErrno(error, "ECONNREFUSED") || isErrno(error, "ENOENT")) resolve(false);
      else if (isErrno(error, "EAGAIN"))
        resolve(true); // its backlog is full: it lives
      else reject(error);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
