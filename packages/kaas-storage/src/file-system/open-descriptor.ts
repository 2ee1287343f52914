import * as fs from "node:fs";
import { isErrno } from "./file-system.js";

/** Data of all clients: nobody else on the machine has business reading it. */
const FILE_MODE = 0o600;

/** Opens a file. Nothing of ours is a pipe: one that stands in a file's place is not waited for; it is empty, or fails. */
export async function openDescriptor(path: string, flags: number): Promise<number> {
  try {
    return await open(path, flags | fs.constants.O_NONBLOCK);
  } catch (error) {
    // A lease on the file, as file servers take for their clients, is being called back: that is waited for.
    if (!isErrno(error, "EAGAIN")) throw error;
    return open(path, flags);
  }
}

function open(path: string, flags: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, FILE_MODE, (error, descriptor) => (error === null ? resolve(descriptor) : reject(error)));
  });
}
