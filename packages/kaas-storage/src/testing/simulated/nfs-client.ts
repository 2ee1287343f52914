import { CachedFile } from "./cached-file.js";
import { type DirectoryNode, failure, fileOf } from "./disk.js";
import type { FileNode } from "./file-node.js";
import type { Machine } from "./machine.js";
import { ATTRIBUTE_MS, type MountOptions, NfsConnection } from "./nfs-connection.js";
import { NfsNames } from "./nfs-names.js";
import type { NfsServer } from "./nfs-server.js";
import type { Operation, Weather } from "./weather.js";

const PAGE_BYTES = 4_096;

/**
 * The NFS client in one machine's kernel, with all the caches that make it differ from a local disk. Processes come and
 * go; it stays until the machine crashes.
 */
export class NfsClient {
  readonly connection: NfsConnection;
  readonly names: NfsNames;
  readonly #machine: Machine;
  readonly #server: NfsServer;
  readonly #weather: Weather;
  #files = new Map<FileNode, CachedFile>();
  #sillyCount = 0;

  constructor(machine: Machine, server: NfsServer, weather: Weather, mount: MountOptions = {}) {
    this.#machine = machine;
    this.#server = server;
    this.#weather = weather;
    this.connection = new NfsConnection(machine, server, weather, mount);
    this.names = new NfsNames(this.connection);
    this.connection.recalled = (node) => {
      const file = this.#files.get(node);
      if (file !== undefined) file.hasDelegation = false;
    };
  }

  get weather(): Weather {
    return this.#weather;
  }

  get #now(): number {
    return this.#machine.scheduler.now;
  }

  /** No packet passes between this machine and the server. What the server takes back meanwhile is noticed later. */
  partition(durationMs: number): void {
    this.connection.cut(durationMs);
    this.#machine.kernel(durationMs + this.#machine.chance.between(0, 6_000), () => this.#checkDelegations());
  }

  /** The machine loses power: part of what was not sent may be at the server all the same. */
  crash(): void {
    for (const file of this.#files.values()) {
      for (const [from, to] of file.dirty.take()) {
        if (this.connection.isReachable && this.#machine.chance.happens(0.3))
          file.node.write(file.bytes.slice(from, to), from);
      }
    }
    this.#files = new Map();
    this.names.clear();
    this.#server.forget(this.connection);
  }

  file(node: FileNode): CachedFile {
    const known = this.#files.get(node);
    if (known !== undefined) return known;
    const [minMs, maxMs] = (this.connection.mount.attributeMs ?? ATTRIBUTE_MS).file;
    const file = new CachedFile(node, { minMs, maxMs });
    this.#files.set(node, file);
    return file;
  }

  async open(path: string, isWriting: boolean): Promise<CachedFile> {
    for (let attempt = 0; ; attempt++) {
      const [directory, name] = await this.names.parent(path);
      const node = fileOf((await this.names.resolve(directory, name)) ?? undefined, path);
      const file = this.file(node);
      if (file.hasDelegation && !isWriting) {
        file.opens++;
        return file;
      }
      try {
        const opened = await this.#rpc("OPEN", () => this.#server.open(this.connection, node, isWriting));
        if (this.connection.mount.nocto !== true || file.isExpired(this.#now)) file.learned(opened, this.#now);
        file.hasDelegation ||= opened.hasDelegation;
        file.opens++;
        return file;
      } catch (error) {
        // The handle that the name was cached with is no more: the name is looked up anew.
        if (attempt > 1 || (error as { code?: unknown }).code !== "ESTALE") throw error;
        this.names.forget(directory, name);
      }
    }
  }

  async create(path: string): Promise<CachedFile> {
    const node = await this.names.create(path);
    const file = this.file(node);
    file.learned(await this.#rpc("OPEN", () => this.#server.open(this.connection, node, true)), this.#now);
    file.opens++;
    return file;
  }

  async unlink(path: string): Promise<void> {
    const [directory, name] = await this.names.parent(path);
    const node = await this.names.resolve(directory, name);
    if (node !== null && !node.isDirectory && (this.#files.get(node)?.opens ?? 0) > 0) {
      return this.#sillyRename(directory, name, node);
    }
    await this.names.remove(directory, name);
  }

  async rename(from: string, to: string): Promise<void> {
    const [source, sourceName] = await this.names.parent(from);
    const [target, targetName] = await this.names.parent(to);
    const replaced = await this.names.resolve(target, targetName);
    if (replaced !== null && !replaced.isDirectory && (this.#files.get(replaced)?.opens ?? 0) > 0) {
      await this.#sillyRename(target, targetName, replaced);
    }
    await this.names.move(source, sourceName, target, targetName);
  }

  /** Sends what is dirty, without asking for it to be made durable. */
  async send(file: CachedFile): Promise<void> {
    await Promise.allSettled([...file.inFlight]);
    const writes = file.dirty.take().map(([from, to]) => this.#write(file, from, to));
    for (const write of writes) {
      file.inFlight.add(write);
      void write.finally(() => file.inFlight.delete(write));
    }
    await Promise.all(writes);
  }

  /** Sends what is dirty and has it made durable; again, where the server has restarted in between. */
  async sync(file: CachedFile): Promise<void> {
    do {
      await this.send(file);
      const { uncommitted } = file;
      if (uncommitted.length === 0) return;
      const boot = await this.#rpc("COMMIT", () => this.#server.commit(file.node), "sync");
      file.uncommitted = file.uncommitted.filter((one) => !uncommitted.includes(one));
      for (const lost of uncommitted) if (lost.boot !== boot) file.dirty.add(lost.from, lost.to);
    } while (!file.dirty.isEmpty && file.uncommitted.length === 0);
  }

  async read(file: CachedFile, into: Buffer, position: number): Promise<number> {
    await this.attributes(file);
    const end = Math.min(position + into.length, file.size);
    if (!file.valid.covers(position, end)) {
      const from = Math.floor(position / PAGE_BYTES) * PAGE_BYTES;
      const to = Math.ceil(end / PAGE_BYTES) * PAGE_BYTES;
      file.fill(await this.#rpc("READ", () => this.#server.read(file.node, from, to)), from);
    }
    return copied(file, into, position, end);
  }

  /** Asks the server for every byte. */
  async readUncached(file: CachedFile, into: Buffer, position: number): Promise<number> {
    await this.send(file);
    const bytes = await this.#rpc("READ", () => this.#server.read(file.node, position, position + into.length));
    return bytes.copy(into);
  }

  /** A synchronous read: from the cache, or else the event loop waits for the server, as told by `block`. */
  readNow(file: CachedFile, into: Buffer, position: number, block: (ms: number) => void): number {
    if (file.isExpired(this.#now)) {
      block(Math.max(1, this.connection.cutMs));
      file.learned(this.#server.attributes(file.node), this.#now);
    }
    const end = Math.min(position + into.length, file.size);
    if (!file.valid.covers(position, end)) {
      block(Math.max(1, this.connection.cutMs));
      file.fill(this.#server.read(file.node, position, end), position);
    }
    return copied(file, into, position, end);
  }

  /** fstat: believed for a time. */
  async attributes(file: CachedFile): Promise<void> {
    if (!file.isExpired(this.#now)) return;
    const attributes = await this.#rpc("GETATTR", () => this.#server.attributes(file.node));
    file.learned(attributes, this.#now);
  }

  async truncate(file: CachedFile, size: number): Promise<void> {
    await this.send(file);
    const attributes = await this.#rpc("SETATTR", () => {
      this.#server.attributes(file.node);
      file.node.resize(size);
      return this.#server.attributes(file.node);
    });
    file.valid.remove(size, Number.POSITIVE_INFINITY);
    file.learned(attributes, this.#now);
  }

  /** The kernel writes by itself, sooner or later. */
  wrote(file: CachedFile): void {
    const delayMs = this.#weather.writeBackMs();
    if (delayMs === undefined) return;
    this.#machine.kernel(delayMs, () => void this.send(file).catch(() => undefined));
  }

  /** The last thing a descriptor does is to send what it wrote, and to have it made durable. */
  async close(file: CachedFile): Promise<void> {
    await this.sync(file);
    await this.#rpc("CLOSE", () => this.#server.close(this.connection, file.node));
    if (--file.opens > 0) return;
    const { silly } = file;
    file.silly = undefined;
    await silly?.();
  }

  async #write(file: CachedFile, from: number, to: number): Promise<void> {
    const bytes = file.bytes.slice(from, to);
    try {
      const { before, after, boot } = await this.#rpc("WRITE", () => {
        const errno = this.#weather.syncFailure(`file ${file.node.id}`);
        if (errno !== undefined) throw failure(errno, `file ${file.node.id}`);
        return this.#server.write(file.node, bytes, from);
      });
      file.changed(before, after);
      file.uncommitted.push({ from, to, boot });
    } catch (error) {
      // Taken for clean, and gone: what the server has is what the next read finds.
      file.failureCount++;
      file.errno = (error as { code: string }).code;
      file.valid.remove(from, to);
    }
  }

  async #sillyRename(directory: DirectoryNode, name: string, node: FileNode): Promise<void> {
    const silly = `.nfs${String(node.id).padStart(8, "0")}${String(this.#sillyCount++).padStart(8, "0")}`;
    await this.names.move(directory, name, directory, silly);
    this.file(node).silly = () => this.names.remove(directory, silly).catch(() => undefined);
  }

  #checkDelegations(): void {
    if (!this.connection.isReachable) return;
    for (const file of this.#files.values()) file.hasDelegation &&= this.#server.delegates(this.connection, file.node);
  }

  #rpc<Result>(name: string, execute: () => Result | Promise<Result>, operation: Operation = "read"): Promise<Result> {
    return this.connection.rpc(name, execute, operation);
  }
}

function copied(file: CachedFile, into: Buffer, position: number, end: number): number {
  return end <= position ? 0 : file.bytes.read(into.subarray(0, end - position), position);
}
