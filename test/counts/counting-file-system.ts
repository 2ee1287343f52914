import type { FileHandle, FileSystem } from "../../packages/kaas-storage/src/file-system/file-system.js";

/** Calls of a file system's handles by name, and the bytes that they moved. */
export class FileCounts {
  readonly calls = new Map<string, number>();
  writtenBytes = 0;
  readBytes = 0;

  /** Of all the names together. */
  of(...names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.calls.get(name) ?? 0), 0);
  }

  clear(): void {
    this.calls.clear();
    this.writtenBytes = 0;
    this.readBytes = 0;
  }

  note(name: string, args: readonly unknown[]): void {
    this.calls.set(name, this.of(name) + 1);
    const [first] = args;
    if (Array.isArray(first)) for (const buffer of first as Buffer[]) this.writtenBytes += buffer.length;
    else if (Buffer.isBuffer(first)) this.readBytes += first.length;
  }
}

/** The same file system, whose segments' handles count what is asked of them. */
export function countingFileSystem(fileSystem: FileSystem, counts: FileCounts): FileSystem {
  const open: FileSystem["open"] = async (path, mode) => {
    const handle = await fileSystem.open(path, mode);
    return path.endsWith(".log") ? wrapped(handle, (name, args) => counts.note(name, args)) : handle;
  };
  return new Proxy(fileSystem, {
    get(target, name) {
      if (name === "open") return open;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function wrapped(handle: FileHandle, note: (name: string, args: readonly unknown[]) => void): FileHandle {
  return new Proxy(handle, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown => {
        note(String(name), args);
        return Reflect.apply(member, target, args);
      };
    },
  });
}
