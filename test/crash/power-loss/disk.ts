// A disk that follows the journal event by event: at any of them it knows what a power loss could not take.
import type { JournalEvent } from "./journal.js";
import { applyNames, type DataChange, DirectoryNode, FileNode, type NameChange, type Node } from "./nodes.js";

type Running = { readonly event: JournalEvent; readonly finish: (succeeded: boolean, event: JournalEvent) => void };

export class Disk {
  readonly root = new DirectoryNode();
  readonly #descriptors = new Map<number, Node>();
  readonly #running = new Map<number, Running>();
  /** How many changes of names have begun. */
  nameChanges = 0;
  /** Of the changes of names up to here all have been ordered to the disk by some fsync. */
  nameChangesForced = 0;

  follow(event: JournalEvent): void {
    if (event.kind === "process") this.#restart();
    else if (event.kind === "close") this.#descriptors.delete(event.a);
    else if (event.kind === "send") return;
    else if (event.isBegin) this.#begin(event);
    else this.#end(event);
  }

  /** A new process: descriptors are gone, and what was under way never came back. */
  #restart(): void {
    for (const { event } of this.#running.values()) {
      if (event.kind === "sync" || event.kind === "syncdir") continue;
      throw new Error(`the process before ended within a call: ${event.kind} ${event.path}`);
    }
    this.#running.clear();
    this.#descriptors.clear();
  }

  #begin(event: JournalEvent): void {
    this.#running.set(event.call, { event, finish: this.#started(event) });
  }

  #end(event: JournalEvent): void {
    const running = this.#running.get(event.call);
    if (running === undefined) throw new Error(`event ${event.index} ends what has not begun`);
    this.#running.delete(event.call);
    running.finish(event.a >= 0, event);
  }

  /** Notes what may happen from now on; the function is for when it has, or has not. */
  #started(event: JournalEvent): Running["finish"] {
    switch (event.kind) {
      case "open":
        return this.#open(event);
      case "write":
      case "truncate":
        return this.#change(event);
      case "sync":
      case "syncdir":
        return this.#sync(event);
      case "mkdir":
        return this.#named(event, this.#parent(event.path), () => new DirectoryNode());
      case "unlink":
      case "rmdir":
        return this.#named(event, this.#parent(event.path), () => undefined);
      case "link": {
        const to = event.data.toString();
        return this.#named(event, this.#parent(to), () => this.#find(event.path));
      }
      case "rename":
        return this.#rename(event);
      default:
        throw new Error(`an event ${event.kind} has no begin`);
    }
  }

  #open(event: JournalEvent): Running["finish"] {
    if (event.a === 0) {
      const node = this.#find(event.path);
      const cuts = event.b === 1 && node instanceof FileNode ? this.#dataChange(node, event.call, 0, null) : undefined;
      return (succeeded, { a: descriptor, b: inode }) => {
        if (!succeeded) return;
        if (node === undefined) throw new Error(`${event.path} was opened, and is not known`);
        if (node instanceof FileNode && node.inode !== 0 && node.inode !== inode)
          throw new Error(`${event.path} is inode ${inode}, and is known as ${node.inode}`);
        if (cuts !== undefined) cuts(true, event);
        this.#descriptors.set(descriptor, node);
      };
    }
    const parent = this.#parent(event.path);
    return (succeeded, end) => {
      if (!succeeded) return;
      const file = new FileNode(end.b);
      this.#named(event, parent, () => file)(true, end);
      // c: a socket, whose descriptor is none of a file.
      if (event.c === 0) this.#descriptors.set(end.a, file);
    };
  }

  #change(event: JournalEvent): Running["finish"] {
    const node = this.#descriptors.get(event.a);
    if (!(node instanceof FileNode)) throw new Error(`a ${event.kind} to descriptor ${event.a}, which is no file`);
    if (event.kind === "truncate") return this.#dataChange(node, event.call, event.b, null);
    return this.#dataChange(node, event.call, event.b, event.c, event.data);
  }

  #dataChange(
    node: FileNode,
    call: number,
    position: number,
    length: number | null,
    data: Buffer = Buffer.alloc(0),
  ): Running["finish"] {
    const change: DataChange = { call, position, length, data, hasEnded: false };
    node.pending.push(change);
    return (succeeded, { a: written }) => {
      change.hasEnded = true;
      if (succeeded && (length === null || written === length)) return;
      const at = node.pending.indexOf(change);
      if (!succeeded) node.pending.splice(at, 1);
      else node.pending[at] = { ...change, length: written, data: data.subarray(0, written) };
    };
  }

  #sync(event: JournalEvent): Running["finish"] {
    const node = this.#descriptors.get(event.a);
    if (node === undefined) throw new Error(`an fsync of descriptor ${event.a}, which is not known`);
    const toDisk = node.sync();
    const order = this.nameChanges;
    return (succeeded) => {
      if (!succeeded) return;
      toDisk();
      this.nameChangesForced = Math.max(this.nameChangesForced, order);
    };
  }

  #rename(event: JournalEvent): Running["finish"] {
    const to = event.data.toString();
    const parent = this.#parent(event.path);
    if (parent !== this.#parent(to)) throw new Error(`a rename from one directory to another: ${event.path} to ${to}`);
    const node = this.#find(event.path);
    if (node === undefined || isFilled(this.#find(to))) return refused;
    const names = new Map([
      [nameOf(event.path), undefined],
      [nameOf(to), node],
    ]);
    return this.#nameChange(event.call, parent, names);
  }

  #named(event: JournalEvent, parent: DirectoryNode | undefined, node: () => Node | undefined): Running["finish"] {
    const path = event.kind === "link" ? event.data.toString() : event.path;
    const name = nameOf(path);
    const there = this.#find(path);
    const isRemoval = event.kind === "unlink" || event.kind === "rmdir";
    if (isRemoval ? there === undefined || isFilled(there) : there !== undefined) return refused;
    return this.#nameChange(event.call, parent, new Map([[name, node()]]));
  }

  #nameChange(
    call: number,
    parent: DirectoryNode | undefined,
    names: ReadonlyMap<string, Node | undefined>,
  ): Running["finish"] {
    // Without a directory to happen in it will fail.
    const change: NameChange = { call, names, order: this.nameChanges++, hasEnded: false };
    parent?.pending.push(change);
    return (succeeded, event) => {
      change.hasEnded = true;
      if (succeeded && parent === undefined) throw new Error(`event ${event.index}: a name in a directory not known`);
      if (parent === undefined) return;
      if (succeeded) applyNames(parent.current, change);
      else parent.pending.splice(parent.pending.indexOf(change), 1);
    };
  }

  #parent(path: string): DirectoryNode | undefined {
    const slash = path.lastIndexOf("/");
    const parent = slash < 0 ? this.root : this.#find(path.slice(0, slash));
    return parent instanceof DirectoryNode ? parent : undefined;
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.root;
    if (path === "") return node;
    for (const name of path.split("/")) node = node instanceof DirectoryNode ? node.current.get(name) : undefined;
    return node;
  }
}

/** A call that must fail, and so has no effect while it is under way either. */
function refused(succeeded: boolean, { index }: JournalEvent): void {
  if (succeeded) throw new Error(`event ${index}: a name was changed that could not be`);
}

function isFilled(node: Node | undefined): boolean {
  return node instanceof DirectoryNode && node.current.size > 0;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
