import { KaasError } from "@kaas/core";
import type {
  DirectoryEntry,
  DirectoryLock,
  FileHandle,
  FileSystem,
  OpenMode,
  SpaceStatus,
} from "../../file-system/file-system.js";
import type { CachedFile } from "./cached-file.js";
import { failure } from "./disk.js";
import type { SimulatedProcess } from "./machine.js";
import type { NfsClient } from "./nfs-client.js";
import { processCall, processCallSync } from "./process-call.js";
import type { Operation } from "./weather.js";

/** A mounted volume as one process of a machine sees it. */
export class NfsFileSystem implements FileSystem {
  readonly preallocationHelps: boolean;
  readonly #client: NfsClient;
  readonly #process: SimulatedProcess;

  constructor(client: NfsClient, process: SimulatedProcess, preallocationHelps: boolean) {
    this.#client = client;
    this.#process = process;
    this.preallocationHelps = preallocationHelps;
  }

  open(path: string, mode: OpenMode): Promise<FileHandle> {
    const isWriting = mode === "write" || mode === "create";
    return this.#call("open", path, async () => {
      const file = await (mode === "create" ? this.#client.create(path) : this.#client.open(path, isWriting));
      return new NfsFile(this.#client, this.#process, file, path, mode);
    });
  }

  readFile(path: string): Promise<Buffer> {
    return this.#call("read", path, async () => {
      const file = await this.#client.open(path, false);
      await this.#client.attributes(file);
      const content = Buffer.alloc(file.size);
      const count = await this.#client.read(file, content, 0);
      void this.#client.close(file).catch(() => undefined);
      return content.subarray(0, count);
    });
  }

  list(path: string): Promise<readonly DirectoryEntry[]> {
    return this.#call("list", path, () => this.#client.names.list(path));
  }

  makeDirectory(path: string): Promise<void> {
    return this.#call("mkdir", path, () => this.#client.names.makeDirectory(path));
  }

  removeDirectory(path: string): Promise<void> {
    return this.#call("rmdir", path, () => this.#client.names.removeDirectory(path));
  }

  link(existing: string, path: string): Promise<void> {
    return this.#call("link", path, () => this.#client.names.link(existing, path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#call("rename", to, () => this.#client.rename(from, to));
  }

  unlink(path: string): Promise<void> {
    return this.#call("unlink", path, () => this.#client.unlink(path));
  }

  /** A file server has made names durable before it answers. */
  syncDirectory(path: string): Promise<void> {
    return this.#call("syncDirectory", path, async () => void (await this.#client.names.directory(path)));
  }

  space(path: string): Promise<SpaceStatus> {
    return this.#call("space", path, async () => {
      const usableBytes = await this.#client.connection.rpc(
        "STATFS",
        () => this.#client.connection.server.disk.usableBytes,
      );
      return { totalBytes: Number.MAX_SAFE_INTEGER, usableBytes };
    });
  }

  lock(directory: string): Promise<DirectoryLock> {
    const message = `${directory} is on a file server: a lock there keeps nobody out`;
    return Promise.reject(new KaasError("KAAS_STORAGE_FAILED", message));
  }

  #call<Result>(operation: Operation, path: string, work: () => Promise<Result>): Promise<Result> {
    return processCall(this.#process, this.#client.weather, operation, path, work);
  }
}

class NfsFile implements FileHandle {
  readonly #client: NfsClient;
  readonly #process: SimulatedProcess;
  readonly #file: CachedFile;
  readonly #path: string;
  readonly #mode: OpenMode;
  #seenFailures: number;
  #isOpen = true;

  constructor(client: NfsClient, process: SimulatedProcess, file: CachedFile, path: string, mode: OpenMode) {
    this.#client = client;
    this.#process = process;
    this.#file = file;
    this.#path = path;
    this.#mode = mode;
    this.#seenFailures = file.failureCount;
    // The kernel closes what a dead process had open, in its own time.
    process.onDeath(() => this.#closeLater());
  }

  writevSync(buffers: readonly Buffer[], position: number): void {
    const bytes = Buffer.concat(buffers);
    processCallSync(this.#process, this.#client.weather, "write", this.#path, () => {
      this.#process.block(this.#client.weather.stallMs());
      this.#write(bytes, position);
    });
  }

  async writev(buffers: readonly Buffer[], position: number): Promise<void> {
    const bytes = Buffer.concat(buffers);
    await this.#call("write", async () => this.#write(bytes, position));
  }

  readSync(into: Buffer, position: number): number {
    return processCallSync(this.#process, this.#client.weather, "read", this.#path, () => {
      this.#refuseClosed();
      return this.#client.readNow(this.#file, into, position, (ms) => this.#process.block(ms));
    });
  }

  read(into: Buffer, position: number): Promise<number> {
    return this.#call("read", () =>
      this.#mode === "uncached"
        ? this.#client.readUncached(this.#file, into, position)
        : this.#client.read(this.#file, into, position),
    );
  }

  dataSync(): Promise<void> {
    return this.#call("sync", async () => {
      await this.#client.sync(this.#file);
      this.#tellFailure();
    });
  }

  truncate(sizeBytes: number): Promise<void> {
    return this.#call("truncate", () => this.#client.truncate(this.#file, sizeBytes));
  }

  size(): Promise<number> {
    return this.#call("size", async () => {
      await this.#client.attributes(this.#file);
      return this.#file.size;
    });
  }

  async close(): Promise<void> {
    this.#refuseClosed();
    this.#isOpen = false;
    await processCall(this.#process, this.#client.weather, "close", this.#path, async () => {
      await this.#client.close(this.#file);
      this.#tellFailure();
    });
  }

  #closeLater(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { machine } = this.#process;
    const delayMs = machine.chance.happens(0.5) ? machine.chance.between(0, 10) : machine.chance.between(0, 60_000);
    machine.kernel(delayMs, () => void this.#client.close(this.#file).catch(() => undefined));
  }

  #write(bytes: Buffer, position: number): void {
    if (this.#mode === "read" || this.#mode === "uncached") throw failure("EBADF", this.#path);
    if (bytes.length === 0) return;
    this.#file.write(bytes, position);
    this.#client.wrote(this.#file);
  }

  #tellFailure(): void {
    if (this.#seenFailures === this.#file.failureCount) return;
    this.#seenFailures = this.#file.failureCount;
    throw failure(this.#file.errno, this.#path);
  }

  #refuseClosed(): void {
    if (!this.#isOpen) throw failure("EBADF", this.#path);
  }

  #call<Result>(operation: Operation, work: () => Promise<Result>): Promise<Result> {
    if (!this.#isOpen) return Promise.reject(failure("EBADF", this.#path));
    return processCall(this.#process, this.#client.weather, operation, this.#path, work);
  }
}
