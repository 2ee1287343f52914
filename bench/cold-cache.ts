// Data that has to come from the disk: written out, then dropped from the page cache.
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Drops all files below a directory from the page cache. `dd` asks for it with POSIX_FADV_DONTNEED, which needs no
 * privileges and leaves the rest of the machine alone; the kernel drops only what has been written out, hence `sync`.
 */
export async function dropFromCache(directory: string): Promise<void> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".log"))
    .map((entry) => join(entry.parentPath, entry.name));
  await run("sync", files);
  for (const file of files) await run("dd", [`if=${file}`, "iflag=nocache", "count=0", "status=none"]);
}
