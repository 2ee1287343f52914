import { type Json, KaasError, type SlotJournal } from "@kaas/core";
import { encodeDocument } from "../documents/documents.js";
import { claimFile, isTemporaryName } from "../documents/durable-files.js";
import { ensureDirectory, type FileHandle, removeFile } from "../file-system/file-system.js";
import { storageFailure } from "../file-system/storage-failure.js";
import { epochFileName } from "../leadership/epoch-names.js";
import type { Fuse } from "../leadership/fuse.js";
import { type Claimant, takeLead, withdrawClaim } from "../leadership/take-lead.js";
import type { SyncSlots } from "../partition/sync-slots.js";
import { encodeLine } from "./journal-lines.js";
import { parseSlotFile, slotJournalName, slotSnapshotName } from "./slot-files.js";
import { listSlot, readSlot, type SlotState } from "./slot-recovery.js";

/** A snapshot is worth its cost once the journal is this large, and several times as large as the snapshot. */
const JOURNAL_BYTES_MIN = 1024 * 1024;
const JOURNAL_TO_SNAPSHOT = 4;

/** What all slots of a volume share. */
export interface SlotEnvironment extends Claimant {
  readonly syncSlots: SyncSlots;
  readonly fuse: Fuse;
  /** Whether other machines use the volume at the same time. */
  readonly isShared: boolean;
}

/** Where a slot's directory is, or will be: parents may be missing as well. */
export interface SlotPlace {
  /** The cluster directory, which exists. */
  readonly root: string;
  /** The directory of all slots of the kind. */
  readonly kind: string;
  readonly name: string;
}

/** A change that waits for its turn. */
interface Waiting {
  readonly change:
    | { readonly kind: "entry"; readonly entry: Json }
    | { readonly kind: "snapshot"; readonly state: Json };
  readonly resolve: () => void;
  readonly reject: (error: KaasError) => void;
}

interface OpenJournal {
  readonly handle: FileHandle;
  /** The snapshot and the journal in force. */
  readonly number: number;
  readonly snapshotBytes: number;
  sizeBytes: number;
  sequence: number;
}

/**
 * The journal of one coordinator slot.
 *
 * ```
 * claim ─▶ blow the fuses of those before ─▶ read ─▶ snapshot ─▶ fuse ─▶ remove what it replaces
 *                            then, for each group of entries:  write ─▶ fsync ─▶ fuse ─▶ answer
 * ```
 *
 * An epoch begins with a snapshot of what was recovered, so that the state always is one snapshot and one journal. On a
 * volume that is shared this happens when the slot is opened: until then, somebody else may go on writing. A process
 * that has the volume to itself claims with the first change, and a slot that nobody uses costs its start nothing.
 */
export class VolumeSlotJournal implements SlotJournal {
  readonly slot: number;
  readonly #environment: SlotEnvironment;
  readonly #place: SlotPlace;
  readonly #directory: string;
  #epoch: number;
  #recovered: SlotState | undefined;
  /** Files that the next durable snapshot replaces. */
  #obsolete: string[] = [];
  #journal: OpenJournal | undefined;
  #queue: Waiting[] = [];
  /** What the step under way will answer. */
  #taken: readonly Waiting[] = [];
  #doneCount = 0;
  /** Does what is queued; undefined while there is nothing to do. */
  #worker: Promise<void> | undefined;
  #failure: KaasError | undefined;

  private constructor(slot: number, environment: SlotEnvironment, place: SlotPlace, recovered: SlotState) {
    this.slot = slot;
    this.#epoch = recovered.highestClaim + 1;
    this.#environment = environment;
    this.#place = place;
    this.#directory = directoryOf(place);
    this.#recovered = recovered;
  }

  static async open(
    slot: number,
    environment: SlotEnvironment,
    place: SlotPlace,
    unwanted?: AbortSignal,
  ): Promise<VolumeSlotJournal> {
    const directory = directoryOf(place);
    try {
      if (environment.fuse.blown !== undefined) throw environment.fuse.blown;
      // Where others may be at work, what is missing may have been replaced: who has claimed the slot looks again.
      const isSettled = !environment.isShared;
      const recovered = await readSlot(environment, directory, await listSlot(environment, directory), isSettled);
      const journal = new VolumeSlotJournal(slot, environment, place, recovered);
      if (environment.isShared) await journal.#begin(unwanted);
      return journal;
    } catch (error) {
      throw storageFailure(`${directory} could not be opened`, error);
    }
  }

  /** The epoch that is claimed, or will be with the first change. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether somebody waits for the disk. */
  get isBusy(): boolean {
    return this.#worker !== undefined && this.#failure === undefined;
  }

  /** Moves with everything that is done. */
  get progress(): number {
    return this.#doneCount;
  }

  /** The disk has not answered for too long. What becomes of what waits is not known: the journal is given up. */
  stalled(): void {
    const message = `the journal ${this.#directory} is given up: the volume does not answer`;
    this.#fail(new KaasError("KAAS_STORAGE_FAILED", message));
  }

  get wantsSnapshot(): boolean {
    const journal = this.#journal;
    if (journal === undefined) return false;
    return journal.sizeBytes > Math.max(JOURNAL_BYTES_MIN, JOURNAL_TO_SNAPSHOT * journal.snapshotBytes);
  }

  recovered(): { readonly snapshot: Json | undefined; readonly entries: readonly Json[] } {
    const state = this.#recovered;
    this.#recovered = undefined; // it may be large
    return { snapshot: state?.snapshot, entries: state?.entries ?? [] };
  }

  append(entry: Json): Promise<void> {
    return this.#enqueue({ kind: "entry", entry });
  }

  writeSnapshot(state: Json): Promise<void> {
    return this.#enqueue({ kind: "snapshot", state });
  }

  async close(): Promise<void> {
    const wasFailed = this.#failure !== undefined;
    this.#failure ??= new KaasError("KAAS_CLOSED", `the journal ${this.#directory} is closed`);
    await this.#worker;
    const journal = this.#journal;
    this.#journal = undefined;
    if (journal === undefined) return;
    await journal.handle.close();
    if (wasFailed || this.#failure.code !== "KAAS_CLOSED" || this.#environment.fuse.blown !== undefined) return;
    const content = encodeDocument("slot-released", {
      epoch: this.#epoch,
      journal: { number: journal.number, sizeBytes: journal.sizeBytes },
    });
    await claimFile(this.#environment, this.#directory, epochFileName(this.#epoch, "released"), content);
  }

  #enqueue(change: Waiting["change"]): Promise<void> {
    const failure = this.#failure ?? this.#environment.fuse.blown;
    if (failure !== undefined) return Promise.reject(failure);
    return new Promise((resolve, reject) => {
      this.#queue.push({ change, resolve, reject });
      this.#worker ??= this.#work();
    });
  }

  /** Does what is queued, in order, until nothing is left. */
  async #work(): Promise<void> {
    // All that this turn of the event loop appends shares an fsync.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const taken = this.#take();
      this.#taken = taken;
      try {
        const [first] = taken;
        if (first?.change.kind === "snapshot") await this.#snapshot(first.change.state);
        else await this.#append(taken);
      } catch (error) {
        this.#fail(error);
        break;
      }
      this.#doneCount++;
      this.#taken = [];
      for (const waiting of taken) waiting.resolve();
    }
    this.#worker = undefined;
  }

  /** The entries at the head of the queue, or one snapshot. */
  #take(): Waiting[] {
    const end = this.#queue.findIndex(({ change }) => change.kind === "snapshot");
    return this.#queue.splice(0, end < 0 ? this.#queue.length : Math.max(1, end));
  }

  async #append(group: readonly Waiting[]): Promise<void> {
    const journal = this.#journal ?? (await this.#begin());
    const first = journal.sequence + 1;
    let text = "";
    for (const { change } of group) {
      if (change.kind === "entry") text += encodeLine(++journal.sequence, first, change.entry);
    }
    const bytes = Buffer.from(text);
    const { syncSlots, fuse, isShared } = this.#environment;
    // A file server that does not answer must not hold up the event loop.
    if (isShared) await journal.handle.writev([bytes], journal.sizeBytes);
    else journal.handle.writevSync([bytes], journal.sizeBytes);
    await syncSlots.with(() => journal.handle.dataSync());
    journal.sizeBytes += bytes.length;
    await fuse.confirm();
  }

  async #snapshot(state: Json): Promise<void> {
    if (this.#journal === undefined) await this.#claim();
    await this.#replace({ hasState: true, state, entries: [] });
  }

  /** Claims the epoch, and takes over what is there. */
  async #begin(unwanted?: AbortSignal): Promise<OpenJournal> {
    const state = await this.#claim(unwanted);
    const { snapshot, entries } = state;
    if (this.#environment.isShared) this.#recovered = state;
    return this.#replace({ hasState: snapshot !== undefined, state: snapshot ?? null, entries });
  }

  /** What is there is read when nobody before us can acknowledge any more. */
  async #claim(unwanted?: AbortSignal): Promise<SlotState> {
    const { fileSystem } = this.#environment;
    const { root, kind, name } = this.#place;
    await ensureDirectory(fileSystem, root, kind);
    await ensureDirectory(fileSystem, `${root}/${kind}`, name);
    const { epoch, entries } = await takeLead(this.#environment, this.#directory, { unwanted });
    try {
      const names = entries.map((entry) => entry.name);
      const state = await readSlot(this.#environment, this.#directory, names, true);
      this.#epoch = epoch;
      this.#obsolete = state.names.filter((file) => isTemporaryName(file) || isOlder(file, epoch));
      return state;
    } catch (error) {
      await withdrawClaim(this.#environment, this.#directory, epoch);
      throw error;
    }
  }

  /** Writes the next snapshot, begins its journal, and removes what they replace. */
  async #replace(content: { hasState: boolean; state: Json; entries: readonly Json[] }): Promise<OpenJournal> {
    const { fileSystem, fuse } = this.#environment;
    const epoch = this.#epoch;
    const previous = this.#journal;
    const number = previous === undefined ? 0 : previous.number + 1;
    const snapshot = encodeDocument("slot-snapshot", { epoch, number, ...content });
    const handle = await fileSystem.open(`${this.#directory}/${slotJournalName(epoch, number)}`, "create");
    const journal: OpenJournal = { handle, number, snapshotBytes: snapshot.length, sizeBytes: 0, sequence: 0 };
    const name = slotSnapshotName(epoch, number);
    try {
      // A snapshot says that its journal is there. Both made durable at once, a power loss could leave the snapshot alone.
      await fileSystem.syncDirectory(this.#directory);
      if (!(await claimFile(this.#environment, this.#directory, name, snapshot))) {
        throw new KaasError("KAAS_STORAGE_FAILED", `${this.#directory}/${name} is not ours`);
      }
      await fuse.confirm();
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#journal = journal;
    await previous?.handle.close();
    await this.#removeObsolete();
    this.#obsolete.push(name, slotJournalName(epoch, number));
    return journal;
  }

  /** A file that cannot be removed changes nothing, and is tried again after the next snapshot. */
  async #removeObsolete(): Promise<void> {
    const { fileSystem, log } = this.#environment;
    for (const name of this.#obsolete.splice(0)) {
      try {
        await removeFile(fileSystem, `${this.#directory}/${name}`);
      } catch (error) {
        log.warn(
          { directory: this.#directory, file: name, err: error },
          "a file that is obsolete could not be removed",
        );
        this.#obsolete.push(name);
      }
    }
  }

  /** One failed write and the files are not trusted any more: everything that waits learns of it. */
  #fail(cause: unknown): void {
    if (this.#failure !== undefined && this.#failure.code !== "KAAS_CLOSED") return;
    const failure = storageFailure(`the journal ${this.#directory} could not be written`, cause);
    this.#environment.log.error({ directory: this.#directory, err: cause }, "a coordinator's journal failed");
    this.#failure = failure;
    const taken = this.#taken;
    this.#taken = [];
    for (const waiting of [...taken, ...this.#queue.splice(0)]) waiting.reject(failure);
  }
}

function directoryOf({ root, kind, name }: SlotPlace): string {
  return `${root}/${kind}/${name}`;
}

function isOlder(name: string, epoch: number): boolean {
  const file = parseSlotFile(name);
  return file !== undefined && file.epoch < epoch;
}
