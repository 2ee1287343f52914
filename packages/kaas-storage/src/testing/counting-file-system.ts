import type { FileHandle, FileSystem } from "../file-system/file-system.js";

/** Counts what is asked of a file system: what a guard compares, where times would tell of the machine. */
export class CallCounter {
  readonly fileSystem: FileSystem;
  #counts: Record<string, number> = {};

  constructor(inner: FileSystem) {
    const counted = <Result>(name: string, result: Result): Result => {
      this.#add(name, 1);
      return result;
    };
    this.fileSystem = {
      preallocationHelps: inner.preallocationHelps,
      open: async (path, mode) => this.#file(await counted("open", inner.open(path, mode))),
      readFile: async (path) => {
        const content = await counted("readFile", inner.readFile(path));
        this.#add("bytesRead", content.length);
        return content;
      },
      list: (directory) => counted("list", inner.list(directory)),
      makeDirectory: (path) => counted("makeDirectory", inner.makeDirectory(path)),
      removeDirectory: (path) => counted("removeDirectory", inner.removeDirectory(path)),
      link: (existing, path) => counted("link", inner.link(existing, path)),
      rename: (from, to) => counted("rename", inner.rename(from, to)),
      unlink: (path) => counted("unlink", inner.unlink(path)),
      syncDirectory: (path) => counted("syncDirectory", inner.syncDirectory(path)),
      space: (path) => inner.space(path),
      lock: (directory) => inner.lock(directory),
    };
  }

  /** How often each call was made since the last time, by its name, and how many `bytesRead` there were. */
  take(): Readonly<Record<string, number>> {
    const taken = this.#counts;
    this.#counts = {};
    return taken;
  }

  #add(name: string, count: number): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + count;
  }

  #file(inner: FileHandle): FileHandle {
    const counted = <Result>(name: string, result: Result): Result => {
      this.#add(name, 1);
      return result;
    };
    const read = (bytes: number): number => {
      this.#add("bytesRead", bytes);
      return counted("read", bytes);
    };
    return {
      writevSync: (buffers, position) => counted("write", inner.writevSync(buffers, position)),
      writev: (buffers, position) => counted("write", inner.writev(buffers, position)),
      readSync: (into, position) => read(inner.readSync(into, position)),
      read: async (into, position) => read(await inner.read(into, position)),
      dataSync: () => counted("dataSync", inner.dataSync()),
      truncate: (sizeBytes) => counted("truncate", inner.truncate(sizeBytes)),
      size: () => counted("size", inner.size()),
      close: () => inner.close(),
    };
  }
}
