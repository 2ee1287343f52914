import { ErrorCode } from "@kaas/core";
import { expect, test, vi } from "vitest";
import type { FileHandle, FileSystem, OpenMode } from "../file-system/file-system.js";
import { MemoryFileSystem } from "../file-system/memory.js";
import { values } from "../testing/batches.js";
import { openTestVolume } from "../testing/open-test-volume.js";

test("two groups that are fsynced at once have a descriptor each: a failed write-back is told to each but once", async () => {
  const memory = new MemoryFileSystem();
  const syncing: FileHandle[] = [];
  const finish: (() => void)[] = [];
  let isHolding = false;
  const held = new Proxy<FileSystem>(memory, {
    get(target, name) {
      if (name !== "open") {
        const value = Reflect.get(target, name) as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (path: string, mode: OpenMode) => {
        const handle = await target.open(path, mode);
        const dataSync = handle.dataSync.bind(handle);
        handle.dataSync = async () => {
          if (isHolding && path.endsWith(".log")) {
            syncing.push(handle);
            await new Promise<void>((resolve) => finish.push(resolve));
          }
          await dataSync();
        };
        return handle;
      };
    },
  });
  const volume = await openTestVolume(held);
  const log = await volume.partition();
  await log.append(values(["first"]), -1); // the segment is there, and its name durable
  isHolding = true;
  const appends = [log.append(values(["one"]), -1)];
  await vi.waitFor(() => expect(syncing).toHaveLength(1), { timeout: 60_000 });
  appends.push(log.append(values(["other"]), -1));
  await vi.waitFor(() => expect(syncing).toHaveLength(2), { timeout: 60_000 });
  expect(syncing[0] === syncing[1]).toBe(false);
  isHolding = false;
  for (const one of finish) one();
  for (const append of appends) expect((await append).errorCode).toBe(ErrorCode.NONE);
  await volume.close();
});
