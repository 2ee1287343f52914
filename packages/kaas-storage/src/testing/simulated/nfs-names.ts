import { type DirectoryNode, failure, fileOf, type Node, parts, splitPath } from "./disk.js";
import type { FileNode } from "./file-node.js";
import { ATTRIBUTE_MS, type NfsConnection } from "./nfs-connection.js";
import type { NfsServer } from "./nfs-server.js";
import type { Operation } from "./weather.js";

interface CachedDirectory {
  version: number;
  checkedMs: number;
  timeoutMs: number;
  /** null: known not to be there. */
  readonly dentries: Map<string, Node | null>;
  listing: readonly { readonly name: string; readonly isDirectory: boolean }[] | undefined;
}

interface Change<Result> {
  readonly result: Result;
  readonly directories: readonly DirectoryNode[];
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** What one machine's kernel knows of names: dentries, negative ones, and listings, each believed for a time. */
export class NfsNames {
  readonly #connection: NfsConnection;
  readonly #directories = new Map<DirectoryNode, CachedDirectory>();

  constructor(connection: NfsConnection) {
    this.#connection = connection;
  }

  get #server(): NfsServer {
    return this.#connection.server;
  }

  /** The kernel is gone, and all it knew. */
  clear(): void {
    this.#directories.clear();
  }

  /** The handle that a name was cached with is no more. */
  forget(directory: DirectoryNode, name: string): void {
    this.#directories.get(directory)?.dentries.delete(name);
  }

  async create(path: string): Promise<FileNode> {
    const [directory, name] = await this.parent(path);
    this.#cachedDirectory(directory).dentries.delete(name);
    const made = await this.#rpc(
      "CREATE",
      () => this.#change([directory], () => this.#server.disk.createFile(directory, name)),
      "open",
    );
    this.#noteChange(made, [[directory, name, made.result]]);
    return made.result;
  }

  async list(path: string): Promise<readonly { readonly name: string; readonly isDirectory: boolean }[]> {
    const directory = await this.directory(path);
    const cached = this.#cachedDirectory(directory);
    // Opening a directory asks whether it has changed, unless the mount says not to.
    if (this.#connection.mount.nocto !== true || this.#isExpired(cached)) await this.#revalidate(directory, cached);
    if (cached.listing !== undefined) return cached.listing;
    const answer = await this.#rpc("READDIR", () => {
      const { version, entries } = this.#server.entries(directory);
      return { version, listing: Array.from(entries, ([name, { isDirectory }]) => ({ name, isDirectory })) };
    });
    this.#learned(cached, answer.version);
    cached.listing = answer.listing;
    return answer.listing;
  }

  async makeDirectory(path: string): Promise<void> {
    const [directory, name] = await this.parent(path);
    this.#cachedDirectory(directory).dentries.delete(name);
    const made = await this.#rpc(
      "MKDIR",
      () => this.#change([directory], () => this.#server.disk.createDirectory(directory, name)),
      "mkdir",
    );
    this.#noteChange(made, [[directory, name, made.result]]);
  }

  async removeDirectory(path: string): Promise<void> {
    const [directory, name] = await this.parent(path);
    const made = await this.#rpc(
      "RMDIR",
      () => this.#change([directory], () => this.#server.disk.removeDirectory(directory, name)),
      "rmdir",
    );
    this.#noteChange(made, [[directory, name, null]]);
  }

  async link(existing: string, path: string): Promise<void> {
    const [from, fromName] = await this.parent(existing);
    const node = fileOf((await this.resolve(from, fromName)) ?? undefined, existing);
    const [to, toName] = await this.parent(path);
    // Whatever becomes of it, what was known of the name is not believed any more.
    this.#cachedDirectory(to).dentries.delete(toName);
    const made = await this.#rpc(
      "LINK",
      () => {
        this.#server.attributes(node);
        return this.#change([to], () => this.#server.disk.link(node, to, toName));
      },
      "link",
    );
    this.#noteChange(made, [[to, toName, node]]);
  }

  async directory(path: string): Promise<DirectoryNode> {
    let directory = this.#server.disk.root;
    for (const part of parts(path)) {
      const child = await this.resolve(directory, part);
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

  async move(source: DirectoryNode, from: string, target: DirectoryNode, to: string): Promise<void> {
    const made = await this.#rpc(
      "RENAME",
      async () => {
        await this.#server.recall(target.entries.get(to), this.#connection);
        return this.#change([source, target], () => this.#server.disk.rename(source, from, target, to));
      },
      "rename",
    );
    this.#noteChange(made, [
      [source, from, null],
      [target, to, target.entries.get(to) ?? null],
    ]);
  }

  async remove(directory: DirectoryNode, name: string): Promise<void> {
    const made = await this.#rpc(
      "REMOVE",
      async () => {
        await this.#server.recall(directory.entries.get(name), this.#connection);
        return this.#change([directory], () => this.#server.disk.unlink(directory, name));
      },
      "unlink",
    );
    this.#noteChange(made, [[directory, name, null]]);
  }

  /** Looks a name up, in the cache if it is believed. null: not there. */
  async resolve(directory: DirectoryNode, name: string): Promise<Node | null> {
    const cached = this.#cachedDirectory(directory);
    if (this.#isExpired(cached)) await this.#revalidate(directory, cached);
    const known = cached.dentries.get(name);
    if (known !== undefined && (this.#connection.mount.version !== "4.0" || known === null || known.isDirectory))
      return known;
    const answer = await this.#rpc("LOOKUP", () => {
      const { version, entries } = this.#server.entries(directory);
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
    return this.#connection.now >= checkedMs + timeoutMs;
  }

  async #revalidate(directory: DirectoryNode, cached: CachedDirectory): Promise<void> {
    const { version } = await this.#rpc("GETATTR", () => this.#server.entries(directory));
    const [minMs, maxMs] = (this.#connection.mount.attributeMs ?? ATTRIBUTE_MS).directory;
    const isNews = version !== cached.version;
    cached.timeoutMs = isNews ? minMs : Math.min(maxMs, Math.max(minMs, cached.timeoutMs * 2));
    cached.checkedMs = this.#connection.now;
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
    for (const directory of directories) this.#server.entries(directory);
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

  #rpc<Result>(name: string, execute: () => Result | Promise<Result>, operation: Operation = "read"): Promise<Result> {
    return this.#connection.rpc(name, execute, operation);
  }
}
