import { CachedFile } from "./cached-file.js";
import { type DirectoryNode, failure, fileOf, type Node, parts, splitPath } from "./disk.js";
import type { FileNode } from "./file-node.js";
import type { Machine } from "./machine.js";
import type { NfsCallback, NfsServer } from "./nfs-server.js";
import type { Operation, Weather } from "./weather.js";

export interface MountOptions {
  /** 4.1 opens a cached name by its file handle (CLAIM_FH), 4.0 by its name. */
  readonly version?: "4.0" | "4.1";
  readonly nocto?: boolean;
  /** Gives up on a server that does not answer. */
  readonly soft?: boolean;
  readonly attributeMs?: { readonly file: readonly [number, number]; readonly directory: readonly [number, number] };
}

/** acregmin, acregmax, acdirmin and acdirmax as they are by default. */
const ATTRIBUTE_MS = { file: [3_000, 60_000], directory: [30_000, 60_000] } as const;
const SOFT_TIMEOUT_MS = 20_000;
const PAGE_BYTES = 4_096;

interface CachedDirectory {
  version: number;
  checkedMs: number;
  timeoutMs: number;
  /** null: known not to be there. */
  readonly dentries: Map<string, Node | null>;
  listing: readonly { readonly name: string; readonly isDirectory: boolean }[] | undefined;
}

export interface RpcOptions {
  /** Done once more when the answer was lost, it may find what it did itself. */
  readonly operation?: Operation;
}

/**
 * The NFS client in one machine's kernel, with all the caches that make it differ from a local disk. Processes come and
 * go; it stays until the machine crashes.
 */
export class NfsClient implements NfsCallback {
  readonly machine: Machine;
  readonly server: NfsServer;
  readonly weather: Weather;
  /** How often the server was asked for what. */
  readonly calls: Map<string, number> = new Map();
  contactMs = 0;
  readonly #mount: MountOptions;
  #cutUntilMs = 0;
  #files = new Map<FileNode, CachedFile>();
  #directories = new Map<DirectoryNode, CachedDirectory>();
  #sillyCount = 0;

  constructor(machine: Machine, server: NfsServer, weather: Weather, mount: MountOptions = {}) {
    this.machine = machine;
    this.server = server;
    this.weather = weather;
    this.#mount = mount;
  }

  get isReachable(): boolean {
    return this.#now >= this.#cutUntilMs && !this.machine.isPaused;
  }

  get cutUntilMs(): number {
    return this.#cutUntilMs;
  }

  get #now(): number {
    return this.machine.scheduler.now;
  }

  /** No packet passes between this machine and the server. */
  partition(durationMs: number): void {
    this.#cutUntilMs = Math.max(this.#cutUntilMs, this.#now + durationMs);
    this.machine.kernel(durationMs + this.machine.chance.between(0, 6_000), () => this.#checkDelegations());
  }

  /** The machine loses power: part of what was not sent may be at the server all the same. */
  crash(): void {
    for (const file of this.#files.values()) {
      for (const [from, to] of file.dirty.take()) {
        if (this.isReachable && this.machine.chance.happens(0.3)) file.node.write(file.bytes.slice(from, to), from);
      }
    }
    this.#files = new Map();
    this.#directories = new Map();
    this.server.forget(this);
  }

  recalled(node: FileNode): void {
    const file = this.#files.get(node);
    if (file !== undefined) file.hasDelegation = false;
  }

  /** Asks the server, again and again until there is an answer. */
  async rpc<Result>(
    name: string,
    execute: () => Result | Promise<Result>,
    operation: Operation = "read",
  ): Promise<Result> {
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
    for (;;) {
      await this.#reach(operation);
      const { boot } = this.server;
      const outcome = await settled(execute);
      await this.#reach(operation);
      this.contactMs = this.#now;
      // A server that has restarted does not remember what it answered; the request is sent again.
      if (boot !== this.server.boot || this.weather.losesReply(operation)) continue;
      if ("error" in outcome) throw outcome.error;
      return outcome.value;
    }
  }

  file(node: FileNode): CachedFile {
    const known = this.#files.get(node);
    if (known !== undefined) return known;
    const [minMs, maxMs] = (this.#mount.attributeMs ?? ATTRIBUTE_MS).file;
    const file = new CachedFile(node, { minMs, maxMs });
    this.#files.set(node, file);
    return file;
  }

  // ---- names

  async open(path: string, isWriting: boolean): Promise<CachedFile> {
    for (let attempt = 0; ; attempt++) {
      const [directory, name] = await this.parent(path);
      const node = fileOf((await this.#resolve(directory, name)) ?? undefined, path);
      const file = this.file(node);
      if (file.hasDelegation && !isWriting) {
        file.opens++;
        return file;
      }
      try {
        const opened = await this.rpc("OPEN", () => this.server.open(this, node, isWriting));
        if (this.#mount.nocto !== true || file.isExpired(this.#now)) file.learned(opened, this.#now);
        file.hasDelegation ||= opened.hasDelegation;
        file.opens++;
        return file;
      } catch (error) {
        // The handle that the name was cached with is no more: the name is looked up anew.
        if (attempt > 1 || (error as { code?: unknown }).code !== "ESTALE") throw error;
        this.#directories.get(directory)?.dentries.delete(name);
      }
    }
  }

  async create(path: string): Promise<CachedFile> {
    const [directory, name] = await this.parent(path);
    this.#cachedDirectory(directory).dentries.delete(name);
    const made = await this.rpc(
      "CREATE",
      () => this.#change([directory], () => this.server.disk.createFile(directory, name)),
      "open",
    );
    this.#noteChange(made, [[directory, name, made.result]]);
    const file = this.file(made.result);
    file.learned(await this.rpc("OPEN", () => this.server.open(this, made.result, true)), this.#now);
    file.opens++;
    return file;
  }

  async list(path: string): Promise<readonly { readonly name: string; readonly isDirectory: boolean }[]> {
    const directory = await this.directory(path);
    const cached = this.#cachedDirectory(directory);
    // Opening a directory asks whether it has changed, unless the mount says not to.
    if (this.#mount.nocto !== true || this.#isExpired(cached)) await this.#revalidate(directory, cached);
    if (cached.listing !== undefined) return cached.listing;
    const answer = await this.rpc("READDIR", () => {
      const { version, entries } = this.server.entries(directory);
      return { version, listing: Array.from(entries, ([name, { isDirectory }]) => ({ name, isDirectory })) };
    });
    this.#learned(cached, answer.version);
    cached.listing = answer.listing;
    return answer.listing;
  }

  async makeDirectory(path: string): Promise<void> {
    const [directory, name] = await this.parent(path);
    this.#cachedDirectory(directory).dentries.delete(name);
    const made = await this.rpc(
      "MKDIR",
      () => this.#change([directory], () => this.server.disk.createDirectory(directory, name)),
      "mkdir",
    );
    this.#noteChange(made, [[directory, name, made.result]]);
  }

  async removeDirectory(path: string): Promise<void> {
    const [directory, name] = await this.parent(path);
    const made = await this.rpc(
      "RMDIR",
      () => this.#change([directory], () => this.server.disk.removeDirectory(directory, name)),
      "rmdir",
    );
    this.#noteChange(made, [[directory, name, null]]);
  }

  async link(existing: string, path: string): Promise<void> {
    const [from, fromName] = await this.parent(existing);
    const node = fileOf((await this.#resolve(from, fromName)) ?? undefined, existing);
    const [to, toName] = await this.parent(path);
    // Whatever becomes of it, what was known of the name is not believed any more.
    this.#cachedDirectory(to).dentries.delete(toName);
    const made = await this.rpc(
      "LINK",
      () => {
        this.server.attributes(node);
        return this.#change([to], () => this.server.disk.link(node, to, toName));
      },
      "link",
    );
    this.#noteChange(made, [[to, toName, node]]);
  }

  async unlink(path: string): Promise<void> {
    const [directory, name] = await this.parent(path);
    const node = await this.#resolve(directory, name);
    if (node !== null && !node.isDirectory && (this.#files.get(node)?.opens ?? 0) > 0) {
      return this.#sillyRename(directory, name, node);
    }
    await this.#remove(directory, name);
  }

  async rename(from: string, to: string): Promise<void> {
    const [source, sourceName] = await this.parent(from);
    const [target, targetName] = await this.parent(to);
    const replaced = await this.#resolve(target, targetName);
    if (replaced !== null && !replaced.isDirectory && (this.#files.get(replaced)?.opens ?? 0) > 0) {
      await this.#sillyRename(target, targetName, replaced);
    }
    await this.#move(source, sourceName, target, targetName);
  }

  async directory(path: string): Promise<DirectoryNode> {
    let directory = this.server.disk.root;
    for (const part of parts(path)) {
      const child = await this.#resolve(directory, part);
      if (child === null) throw failure("ENOENT", path);
      if (!child.isDirectory) throw failure("ENOTDIR", path);
      directory = child;
    }
    return directory;
  }

  async parent(path: string): Promise<[directory: DirectoryNode, name: string]> {
    const [directory, name] = splitPath(path);
    return [await this.directory(directory), name];
  }

  // ---- data

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
      const boot = await this.rpc("COMMIT", () => this.server.commit(file.node), "sync");
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
      file.fill(await this.rpc("READ", () => this.server.read(file.node, from, to)), from);
    }
    return copied(file, into, position, end);
  }

  /** Asks the server for every byte. */
  async readUncached(file: CachedFile, into: Buffer, position: number): Promise<number> {
    await this.send(file);
    const bytes = await this.rpc("READ", () => this.server.read(file.node, position, position + into.length));
    return bytes.copy(into);
  }

  /** A synchronous read: from the cache, or else the event loop waits for the server, as told by `block`. */
  readNow(file: CachedFile, into: Buffer, position: number, block: (ms: number) => void): number {
    if (file.isExpired(this.#now)) {
      block(Math.max(1, this.#cutUntilMs - this.#now));
      file.learned(this.server.attributes(file.node), this.#now);
    }
    const end = Math.min(position + into.length, file.size);
    if (!file.valid.covers(position, end)) {
      block(Math.max(1, this.#cutUntilMs - this.#now));
      file.fill(this.server.read(file.node, position, end), position);
    }
    return copied(file, into, position, end);
  }

  /** fstat: believed for a time. */
  async attributes(file: CachedFile): Promise<void> {
    if (!file.isExpired(this.#now)) return;
    const attributes = await this.rpc("GETATTR", () => this.server.attributes(file.node));
    file.learned(attributes, this.#now);
  }

  async truncate(file: CachedFile, size: number): Promise<void> {
    await this.send(file);
    const attributes = await this.rpc("SETATTR", () => {
      this.server.attributes(file.node);
      file.node.resize(size);
      return this.server.attributes(file.node);
    });
    file.valid.remove(size, Number.POSITIVE_INFINITY);
    file.learned(attributes, this.#now);
  }

  /** The kernel writes by itself, sooner or later. */
  wrote(file: CachedFile): void {
    const delayMs = this.weather.writeBackMs();
    if (delayMs === undefined) return;
    this.machine.kernel(delayMs, () => void this.send(file).catch(() => undefined));
  }

  /** The last thing a descriptor does is to send what it wrote, and to have it made durable. */
  async close(file: CachedFile): Promise<void> {
    await this.sync(file);
    await this.rpc("CLOSE", () => this.server.close(this, file.node));
    if (--file.opens > 0) return;
    const { silly } = file;
    file.silly = undefined;
    await silly?.();
  }

  async #write(file: CachedFile, from: number, to: number): Promise<void> {
    const bytes = file.bytes.slice(from, to);
    try {
      const { before, after, boot } = await this.rpc("WRITE", () => {
        const errno = this.weather.syncFailure(`file ${file.node.id}`);
        if (errno !== undefined) throw failure(errno, `file ${file.node.id}`);
        return this.server.write(file.node, bytes, from);
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
    await this.#move(directory, name, directory, silly);
    this.file(node).silly = () => this.#remove(directory, silly).catch(() => undefined);
  }

  async #move(source: DirectoryNode, from: string, target: DirectoryNode, to: string): Promise<void> {
    const made = await this.rpc(
      "RENAME",
      async () => {
        await this.server.recall(target.entries.get(to), this);
        return this.#change([source, target], () => this.server.disk.rename(source, from, target, to));
      },
      "rename",
    );
    this.#noteChange(made, [
      [source, from, null],
      [target, to, target.entries.get(to) ?? null],
    ]);
  }

  async #remove(directory: DirectoryNode, name: string): Promise<void> {
    const made = await this.rpc(
      "REMOVE",
      async () => {
        await this.server.recall(directory.entries.get(name), this);
        return this.#change([directory], () => this.server.disk.unlink(directory, name));
      },
      "unlink",
    );
    this.#noteChange(made, [[directory, name, null]]);
  }

  /** Looks a name up, in the cache if it is believed. null: not there. */
  async #resolve(directory: DirectoryNode, name: string): Promise<Node | null> {
    const cached = this.#cachedDirectory(directory);
    if (this.#isExpired(cached)) await this.#revalidate(directory, cached);
    const known = cached.dentries.get(name);
    if (known !== undefined && (this.#mount.version !== "4.0" || known === null || known.isDirectory)) return known;
    const answer = await this.rpc("LOOKUP", () => {
      const { version, entries } = this.server.entries(directory);
      return { version, node: entries.get(name) ?? null };
    });
    this.#learned(cached, answer.version);
    cached.dentries.set(name, answer.node);
    return answer.node;
  }

  #cachedDirectory(directory: DirectoryNode): CachedDirectory {
    const known = this.#directories.get(directory);
    if (known !== undefined) return known;
    const cached = { version: -1, checkedMs: 0, timeoutMs: -1, dentries: new Map(), listing: undefined };
    this.#directories.set(directory, cached);
    return cached;
  }

  #isExpired({ checkedMs, timeoutMs }: CachedDirectory): boolean {
    return this.#now >= checkedMs + timeoutMs;
  }

  async #revalidate(directory: DirectoryNode, cached: CachedDirectory): Promise<void> {
    const { version } = await this.rpc("GETATTR", () => this.server.entries(directory));
    const [minMs, maxMs] = (this.#mount.attributeMs ?? ATTRIBUTE_MS).directory;
    const isNews = version !== cached.version;
    cached.timeoutMs = isNews ? minMs : Math.min(maxMs, Math.max(minMs, cached.timeoutMs * 2));
    cached.checkedMs = this.#now;
    this.#learned(cached, version);
  }

  #learned(cached: CachedDirectory, version: number): void {
    if (version === cached.version) return;
    cached.version = version;
    cached.dentries.clear();
    cached.listing = undefined;
  }

  /** Changes names at the server, and notes the directories' versions around it. */
  #change<Result>(directories: readonly DirectoryNode[], change: () => Result): Change<Result> {
    for (const directory of directories) this.server.entries(directory);
    const before = directories.map(({ version }) => version);
    const result = change();
    return { result, directories, before, after: directories.map(({ version }) => version) };
  }

  /** A change of our own: what else is known of the directory stays known, if nobody else has changed it in between. */
  #noteChange(
    { directories, before, after }: Change<unknown>,
    names: readonly (readonly [DirectoryNode, string, Node | null])[],
  ): void {
    for (const [index, directory] of directories.entries()) {
      const cached = this.#cachedDirectory(directory);
      if (cached.version === before[index]) cached.version = after[index] as number;
      cached.listing = undefined;
    }
    for (const [directory, name, node] of names) this.#cachedDirectory(directory).dentries.set(name, node);
  }

  /** What the server took back while this machine was cut off is noticed some time after it is reached again. */
  #checkDelegations(): void {
    if (!this.isReachable) return;
    for (const file of this.#files.values()) file.hasDelegation &&= this.server.delegates(this, file.node);
  }

  /** One way to the server, or back, however long that takes. */
  async #reach(operation: Operation): Promise<void> {
    const began = this.#now;
    await this.machine.kernelSleep(this.weather.delayMs(operation));
    for (;;) {
      const waitMs = Math.max(this.#cutUntilMs, this.server.upAtMs) - this.#now;
      if (waitMs <= 0) return;
      const leftMs = began + SOFT_TIMEOUT_MS - this.#now;
      if (this.#mount.soft === true && waitMs > leftMs) {
        await this.machine.kernelSleep(leftMs);
        throw failure("EIO", "the server does not answer");
      }
      await this.machine.kernelSleep(waitMs);
    }
  }
}

interface Change<Result> {
  readonly result: Result;
  readonly directories: readonly DirectoryNode[];
  readonly before: readonly number[];
  readonly after: readonly number[];
}

async function settled<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ readonly value: Result } | { readonly error: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

function copied(file: CachedFile, into: Buffer, position: number, end: number): number {
  return end <= position ? 0 : file.bytes.read(into.subarray(0, end - position), position);
}
