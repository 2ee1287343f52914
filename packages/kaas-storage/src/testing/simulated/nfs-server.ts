import type { Chance } from "./chance.js";
import { type DirectoryNode, Disk, failure, type Node } from "./disk.js";
import type { FileNode } from "./file-node.js";
import type { Scheduler } from "./scheduler.js";

/** A client, as its server knows it. */
export interface NfsCallback {
  /** Whether the server can reach it now. */
  readonly isReachable: boolean;
  /** When it last spoke to the server. */
  readonly contactMs: number;
  /** Takes a delegation back. */
  recalled(node: FileNode): void;
}

export interface NfsServerOptions {
  /** An `async` export: changes of names and COMMITs are answered before anything is on the disk. */
  readonly isAsync?: boolean;
  /** After so long without contact the server takes back what a client held. */
  readonly leaseMs?: number;
  /** How often a reader is given a delegation. */
  readonly delegations?: number;
}

const LEASE_MS = 15_000;

/** What a server tells of a file with every answer. */
export interface Attributes {
  readonly version: number;
  readonly size: number;
}

/** An NFSv4 file server in miniature: unstable writes, delegations, files that live while a client has them open. */
export class NfsServer {
  readonly disk: Disk;
  readonly scheduler: Scheduler;
  /** The write verifier: another one after each start. */
  boot = 1;
  /** Not before then does it answer again. */
  upAtMs = 0;
  readonly #options: NfsServerOptions;
  readonly #chance: Chance;
  readonly #opens = new Map<FileNode, Map<NfsCallback, number>>();
  readonly #delegations = new Map<FileNode, Set<NfsCallback>>();

  constructor(scheduler: Scheduler, options: NfsServerOptions = {}) {
    this.scheduler = scheduler;
    this.#options = options;
    this.#chance = scheduler.chance.fork();
    this.disk = new Disk(this.#chance.fork(), { namesAreDurable: options.isAsync !== true });
  }

  /** Loses what was not committed, and is away for a time. */
  crash(downMs: number): void {
    this.disk.crash();
    this.boot++;
    this.upAtMs = Math.max(this.upAtMs, this.scheduler.now + downMs);
    // A file without a name does not survive, whoever had it open.
    for (const node of this.#opens.keys()) if (node.linkCount === 0) this.#opens.delete(node);
  }

  /** Forgets a client whose kernel is gone. */
  forget(client: NfsCallback): void {
    for (const clients of this.#opens.values()) clients.delete(client);
    for (const holders of this.#delegations.values()) holders.delete(client);
  }

  attributes(node: FileNode): Attributes {
    if (node.linkCount === 0 && (this.#opens.get(node)?.size ?? 0) === 0) throw failure("ESTALE", "file");
    return { version: node.version, size: node.size };
  }

  /** Opens a file by its handle. Who wants to write waits until nobody else relies on a delegation. */
  async open(
    client: NfsCallback,
    node: FileNode,
    isWriting: boolean,
  ): Promise<Attributes & { hasDelegation: boolean }> {
    this.attributes(node);
    if (isWriting) await this.recall(node, client);
    const attributes = this.attributes(node);
    const clients = this.#opens.get(node) ?? new Map<NfsCallback, number>();
    this.#opens.set(node, clients);
    clients.set(client, (clients.get(client) ?? 0) + 1);
    const isShared = [...clients.keys()].some((other) => other !== client);
    const hasDelegation = !isWriting && !isShared && this.#chance.happens(this.#options.delegations ?? 0);
    if (hasDelegation) {
      const holders = this.#delegations.get(node) ?? new Set<NfsCallback>();
      this.#delegations.set(node, holders.add(client));
    }
    return { ...attributes, hasDelegation };
  }

  close(client: NfsCallback, node: FileNode): void {
    const clients = this.#opens.get(node);
    const left = (clients?.get(client) ?? 1) - 1;
    if (left > 0) clients?.set(client, left);
    else clients?.delete(client);
  }

  /** Whether the client still has what it was given, in the server's view. */
  delegates(client: NfsCallback, node: FileNode): boolean {
    return this.#delegations.get(node)?.has(client) === true;
  }

  write(node: FileNode, bytes: Buffer, position: number): { before: number; after: Attributes; boot: number } {
    const before = this.attributes(node).version;
    node.write(bytes, position);
    return { before, after: this.attributes(node), boot: this.boot };
  }

  commit(node: FileNode): number {
    this.attributes(node);
    if (this.#options.isAsync !== true) node.sync();
    return this.boot;
  }

  read(node: FileNode, from: number, to: number): Buffer {
    this.attributes(node);
    return node.current.slice(from, to);
  }

  /** Takes delegations of all others back: at once, or when the lease of one that does not answer has run out. */
  async recall(node: Node | undefined, except: NfsCallback): Promise<void> {
    if (node === undefined || node.isDirectory) return;
    for (const holder of [...(this.#delegations.get(node) ?? [])]) {
      if (holder === except) continue;
      const leaseMs = this.#options.leaseMs ?? LEASE_MS;
      while (!holder.isReachable && this.scheduler.now - holder.contactMs < leaseMs) await this.scheduler.sleep(100);
      if (holder.isReachable) holder.recalled(node);
      this.#delegations.get(node)?.delete(holder);
    }
  }

  entries(directory: DirectoryNode): { readonly version: number; readonly entries: ReadonlyMap<string, Node> } {
    if (directory.isRemoved) throw failure("ESTALE", "directory");
    return { version: directory.version, entries: directory.entries };
  }
}
