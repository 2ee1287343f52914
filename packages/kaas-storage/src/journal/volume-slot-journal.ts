import { type Json, KaasError, type Log, type SlotJournal } from "@kaas/core";
import { encodeDocument } from "../documents/documents.js";
import { claimFile, type DurableFiles } from "../documents/durable-files.js";
import { ensureDirectory, type FileHandle, removeFile } from "../file-system/file-system.js";
import { storageFailure } from "../file-system/storage-failure.js";
import type { SyncSlots } from "../partition/sync-slots.js";
import { encodeLine } from "./journal-lines.js";
import { slotEpochName, slotJournalName, slotSnapshotName } from "./slot-files.js";
import { readSlot, type SlotState } from "./slot-recovery.js";

/** A snapshot is worth its cost once the journal is this large, and several times as large as the snapshot. */
const JOURNAL_BYTES_MIN = 1024 * 1024;
const JOURNAL_TO_SNAPSHOT = 4;

/** What all slots of a volume share. */
export interface SlotEnvironment {
  readonly files: DurableFiles;
  readonly log: Log;
  readonly syncSlots: SyncSlots;
  readonly broker: string;
  readonly incarnation: string;
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
 * The journal of one coordinator slot. Nothing is written before the first change: a slot that nobody uses costs a
 * start nothing. The first change claims the epoch and begins with a snapshot of what was recovered, so that the state
 * always is one snapshot and one journal.
 */
export class VolumeSlotJournal implements SlotJournal {
  readonly slot: number;
  readonly epoch: number;
  readonly #environment: SlotEnvironment;
  readonly #place: SlotPlace;
  readonly #directory: string;
  #recovered: SlotState | undefined;
  /** Files that the next durable snapshot replaces. */
  #obsolete: readonly string[];
  #journal: OpenJournal | undefined;
  #queue: Waiting[] = [];
  /** Does what is queued; undefined while there is nothing to do. */
  #worker: Promise<void> | undefined;
  #failure: KaasError | undefined;

  private constructor(slot: number, environment: SlotEnvironment, place: SlotPlace, recovered: SlotState) {
    this.slot = slot;
    this.epoch = recovered.highestClaim + 1;
    this.#environment = environment;
    this.#place = place;
    this.#directory = directoryOf(place);
    this.#recovered = recovered;
    this.#obsolete = recovered.names;
  }

  static async open(slot: number, environment: SlotEnvironment, place: SlotPlace): Promise<VolumeSlotJournal> {
    const state = await readSlot(environment.files.fileSystem, directoryOf(place), environment.log);
    return new VolumeSlotJournal(slot, environment, place, state);
  }

  get wantsSnapshot(): boolean {
    const journal = this.#journal;
    if (journal === undefined) return false;
    return journal.sizeBytes > Math.max(JOURNAL_BYTES_MIN, JOURNAL_TO_SNAPSHOT * journal.snapshotBytes);
  }

  recovered(): { readonly snapshot: Json | undefined; readonly entries: readonly Json[] } {
    const state = this.#recovered;
    this.#recovered = undefined;
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
    if (wasFailed || this.#failure.code !== "KAAS_CLOSED") return;
    const content = encodeDocument("slot-released", { epoch: this.epoch });
    await claimFile(this.#environment.files, this.#directory, slotEpochName(this.epoch, "released"), content);
  }

  #enqueue(change: Waiting["change"]): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
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
      try {
        const [first] = taken;
        if (first?.change.kind === "snapshot") await this.#snapshot(first.change.state);
        else await this.#append(taken);
      } catch (error) {
        this.#fail(taken, error);
        break;
      }
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
    journal.handle.writevSync([bytes], journal.sizeBytes);
    await this.#environment.syncSlots.with(() => journal.handle.dataSync());
    journal.sizeBytes += bytes.length;
  }

  async #snapshot(state: Json): Promise<void> {
    if (this.#journal === undefined) await this.#claim();
    await this.#replace({ hasState: true, state, entries: [] });
  }

  /** The first write: claims the epoch, and takes over what was there. */
  async #begin(): Promise<OpenJournal> {
    await this.#claim();
    const { files, log } = this.#environment;
    const { snapshot, entries } = this.#recovered ?? (await readSlot(files.fileSystem, this.#directory, log));
    return this.#replace({ hasState: snapshot !== undefined, state: snapshot ?? null, entries });
  }

  async #claim(): Promise<void> {
    const { files, broker, incarnation } = this.#environment;
    const { root, kind, name } = this.#place;
    await ensureDirectory(files.fileSystem, root, kind);
    await ensureDirectory(files.fileSystem, `${root}/${kind}`, name);
    const content = encodeDocument("claim", { epoch: this.epoch, broker, incarnation });
    if (await claimFile(files, this.#directory, slotEpochName(this.epoch, "claim"), content)) return;
    throw new KaasError("KAAS_STORAGE_FAILED", `epoch ${this.epoch} of ${this.#directory} has been claimed by another`);
  }

  /** Writes the next snapshot, begins its journal, and removes what they replace. */
  async #replace(content: { hasState: boolean; state: Json; entries: readonly Json[] }): Promise<OpenJournal> {
    const { fileSystem } = this.#environment.files;
    const previous = this.#journal;
    const number = previous === undefined ? 0 : previous.number + 1;
    const snapshot = encodeDocument("slot-snapshot", { epoch: this.epoch, number, ...content });
    const handle = await fileSystem.open(`${this.#directory}/${slotJournalName(this.epoch, number)}`, "create");
    const journal: OpenJournal = { handle, number, snapshotBytes: snapshot.length, sizeBytes: 0, sequence: 0 };
    const name = slotSnapshotName(this.epoch, number);
    // The claim makes the whole directory durable, and the journal's name with it.
    if (!(await claimFile(this.#environment.files, this.#directory, name, snapshot))) {
      await handle.close();
      throw new KaasError("KAAS_STORAGE_FAILED", `${this.#directory}/${name} is not ours`);
    }
    this.#journal = journal;
    await previous?.handle.close();
    const obsolete = this.#obsolete;
    this.#obsolete = [name, slotJournalName(this.epoch, number)];
    for (const old of obsolete) await removeFile(fileSystem, `${this.#directory}/${old}`);
    return journal;
  }

  /** One failed write and the files are not trusted any more: everything that waits learns of it. */
  #fail(taken: readonly Waiting[], cause: unknown): void {
    const failure = storageFailure(`the journal ${this.#directory} could not be written`, cause);
    this.#environment.log.error({ directory: this.#directory, err: cause }, "a coordinator's journal failed");
    this.#failure = failure;
    for (const waiting of [...taken, ...this.#queue.splice(0)]) waiting.reject(failure);
  }
}

function directoryOf({ root, kind, name }: SlotPlace): string {
  return `${root}/${kind}/${name}`;
}
