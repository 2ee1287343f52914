import { KaasError } from "@kaas/core";
import type {
  DirectoryEntry,
  DirectoryLock,
  FileHandle,
  FileSystem,
  OpenMode,
  SpaceStatus,
} from "../../file-system/file-system.js";
import { type Disk, failure, fileOf } from "./disk.js";
import type { FileNode } from "./file-node.js";
import type { SimulatedProcess } from "./machine.js";
import { processCall, processCallSync } from "./process-call.js";
import type { Operation, Weather } from "./weather.js";

/** A machine's own disk, with what has to outlive its processes. */
export interface LocalDisk {
  readonly disk: Disk;
  readonly weather: Weather;
  readonly locks: Set<string>;
  readonly preallocationHelps: boolean;
}

/**
 * A local file system as one process sees it. Another process finds everything that this one wrote; a loss of power
 * takes what was not synced, names as well as data.
 */
export class LocalFileSystem implements FileSystem {
  readonly preallocationHelps: boolean;
  readonly process: SimulatedProcess;
  readonly #local: LocalDisk;

  constructor(local: LocalDisk, process: SimulatedProcess) {
    this.#local = local;
    this.process = process;
    this.preallocationHelps = local.preallocationHelps;
  }

  open(path: string, mode: OpenMode): Promise<FileHandle> {
    return this.#call("open", path, () => {
      const { disk } = this.#local;
      const [directory, name] = disk.parent(path);
      const node = mode === "create" ? disk.createFile(directory, name) : fileOf(directory.entries.get(name), path);
      const isWritable = mode === "write" || mode === "create";
      return new LocalFile(this.#local, this.process, node, path, isWritable);
    });
  }

  readFile(path: string): Promise<Buffer> {
    return this.#call("read", path, () => {
      const node = this.#local.disk.file(path);
      return node.current.slice(0, node.size);
    });
  }

  list(path: string): Promise<readonly DirectoryEntry[]> {
    return this.#call("list", path, () =>
      Array.from(this.#local.disk.directory(path).entries, ([name, { isDirectory }]) => ({ name, isDirectory })),
    );
  }

  makeDirectory(path: string): Promise<void> {
    return this.#call("mkdir", path, () => void this.#local.disk.createDirectory(...this.#local.disk.parent(path)));
  }

  removeDirectory(path: string): Promise<void> {
    return this.#call("rmdir", path, () => this.#local.disk.removeDirectory(...this.#local.disk.parent(path)));
  }

  link(existing: string, path: string): Promise<void> {
    return this.#call("link", path, () =>
      this.#local.disk.link(this.#local.disk.file(existing), ...this.#local.disk.parent(path)),
    );
  }

  rename(from: string, to: string): Promise<void> {
    return this.#call("rename", to, () => {
      const { disk } = this.#local;
      disk.rename(...disk.parent(from), ...disk.parent(to));
    });
  }

  unlink(path: string): Promise<void> {
    return this.#call("unlink", path, () => this.#local.disk.unlink(...this.#local.disk.parent(path)));
  }

  async syncDirectory(path: string): Promise<void> {
    const { disk, weather } = this.#local;
    const { order } = disk;
    await this.#call("syncDirectory", path, () => {
      const directory = disk.directory(path);
      const errno = weather.syncFailure(path);
      if (errno !== undefined) throw failure(errno, path);
      disk.syncDirectory(directory, order);
    });
  }

  space(path: string): Promise<SpaceStatus> {
    return this.#call("space", path, () => ({
      totalBytes: Number.MAX_SAFE_INTEGER,
      usableBytes: this.#local.disk.usableBytes,
    }));
  }

  async lock(directory: string): Promise<DirectoryLock> {
    const { locks } = this.#local;
    if (locks.has(directory)) throw new KaasError("KAAS_VOLUME_LOCKED", `${directory} is in use by another process`);
    locks.add(directory);
    this.process.onDeath(() => locks.delete(directory));
    return {
      release: async () => {
        locks.delete(directory);
      },
    };
  }

  #call<Result>(operation: Operation, path: string, work: () => Result): Promise<Result> {
    return processCall(this.process, this.#local.weather, operation, path, work);
  }
}

class LocalFile implements FileHandle {
  readonly #local: LocalDisk;
  readonly #process: SimulatedProcess;
  readonly #node: FileNode;
  readonly #path: string;
  readonly #isWritable: boolean;
  #isOpen = true;
  #seenFailures: number;

  constructor(local: LocalDisk, process: SimulatedProcess, node: FileNode, path: string, isWritable: boolean) {
    this.#local = local;
    this.#process = process;
    this.#node = node;
    this.#path = path;
    this.#isWritable = isWritable;
    this.#seenFailures = node.failureCount;
  }

  writevSync(buffers: readonly Buffer[], position: number): void {
    const bytes = Buffer.concat(buffers);
    processCallSync(this.#process, this.#local.weather, "write", this.#path, () => {
      this.#process.block(this.#local.weather.stallMs());
      this.#write(bytes, position);
    });
  }

  async writev(buffers: readonly Buffer[], position: number): Promise<void> {
    const bytes = Buffer.concat(buffers);
    const { machine } = this.#process;
    await this.#call("write", async () => {
      const arrives = machine.chance.happens(0.3) ? machine.chance.below(bytes.length + 1) : bytes.length;
      this.#write(bytes.subarray(0, arrives), position);
      if (arrives === bytes.length) return;
      await machine.kernelSleep(this.#local.weather.delayMs("write"));
      if (this.#process.isAlive) this.#write(bytes.subarray(arrives), position + arrives);
    });
  }

  readSync(into: Buffer, position: number): number {
    return processCallSync(this.#process, this.#local.weather, "read", this.#path, () => this.#read(into, position));
  }

  read(into: Buffer, position: number): Promise<number> {
    return this.#call("read", () => this.#read(into, position));
  }

  async dataSync(): Promise<void> {
    const { order } = this.#node;
    await this.#call("sync", () => {
      const errno = this.#local.weather.syncFailure(this.#path);
      if (errno !== undefined)
        this.#node.failSync(this.#process.machine.chance, this.#process.machine.chance.happens(0.5));
      const isNews = this.#seenFailures !== this.#node.failureCount;
      this.#seenFailures = this.#node.failureCount;
      if (isNews) throw failure(errno ?? "EIO", this.#path);
      this.#node.sync(order);
    });
  }

  truncate(sizeBytes: number): Promise<void> {
    return this.#call("truncate", () => this.#node.resize(sizeBytes));
  }

  size(): Promise<number> {
    return this.#call("size", () => this.#node.size);
  }

  async close(): Promise<void> {
    this.#refuseClosed();
    this.#isOpen = false;
  }

  #write(bytes: Buffer, position: number): void {
    this.#refuseClosed();
    if (!this.#isWritable) throw failure("EBADF", this.#path);
    if (bytes.length > 0) this.#node.write(bytes, position);
  }

  #read(into: Buffer, position: number): number {
    this.#refuseClosed();
    return this.#node.current.read(into, position);
  }

  #refuseClosed(): void {
    if (!this.#isOpen) throw failure("EBADF", this.#path);
  }

  #call<Result>(operation: Operation, work: () => Result | Promise<Result>): Promise<Result> {
    if (!this.#isOpen) return Promise.reject(failure("EBADF", this.#path));
    return processCall(this.#process, this.#local.weather, operation, this.#path, work);
  }
}
