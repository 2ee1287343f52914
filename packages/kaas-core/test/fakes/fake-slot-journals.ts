import { KaasError, type KaasErrorCode } from "../../src/errors/kaas-error.js";
import type { Json, SlotJournal, SlotJournals } from "../../src/ports/slot-journals.js";

interface DurableSlot {
  snapshot: Json | undefined;
  entries: Json[];
  epoch: number;
}

interface HeldAppend {
  readonly slot: number;
  makeDurable(): void;
  reject(code: KaasErrorCode): void;
}

/** Slot journals in memory, with switches for what a volume does. What is durable outlives the journals. */
export class FakeSlotJournals implements SlotJournals {
  readonly slotCount: number;
  /** When set, appends wait for {@link release} or {@link failHeld}. */
  holding = false;
  /** When set, appends are refused, and journals with them. */
  failing = false;
  /** When set, no journal can be opened. */
  unreadable = false;
  /** When set, snapshots cannot be written. */
  refusingSnapshots = false;
  /** When set, snapshots are never finished. */
  hangingSnapshots = false;
  snapshotCount = 0;
  /** Journals that were opened and not closed. */
  openCount = 0;
  /** A snapshot is wanted after so many entries. */
  snapshotEvery: number = Number.POSITIVE_INFINITY;
  readonly #durable = new Map<number, DurableSlot>();
  #held: HeldAppend[] = [];
  #opening: (() => void)[] | undefined;

  constructor(slotCount = 2) {
    this.slotCount = slotCount;
  }

  /** Entries of all slots that are durable and not yet in a snapshot. */
  get entries(): Json[] {
    return [...this.#durable.values()].flatMap(({ entries }) => entries);
  }

  /** How often a slot was opened. */
  epoch(slot: number): number {
    return this.#slot(slot).epoch;
  }

  snapshot(slot: number): Json | undefined {
    return this.#durable.get(slot)?.snapshot;
  }

  /** Puts an entry on the volume as if an earlier process had written it. */
  write(slot: number, entry: Json): void {
    this.#slot(slot).entries.push(entry);
  }

  /** From now on, opening waits for {@link finishOpening}. */
  holdOpening(): void {
    this.#opening = [];
  }

  finishOpening(): void {
    for (const open of this.#opening ?? []) open();
    this.#opening = undefined;
  }

  async open(_kind: "groups" | "transactions", slot: number): Promise<SlotJournal> {
    if (this.#opening !== undefined) await new Promise<void>((resolve) => this.#opening?.push(resolve));
    if (this.unreadable) throw new KaasError("KAAS_STORAGE_FAILED", "the volume cannot be read");
    const durable = this.#slot(slot);
    durable.epoch++;
    this.openCount++;
    return new FakeSlotJournal(this, slot, durable);
  }

  /** What another process would find: a copy of all that is durable now. */
  afterCrash(): FakeSlotJournals {
    const copy = new FakeSlotJournals(this.slotCount);
    for (const [slot, durable] of this.#durable) copy.#durable.set(slot, structuredClone(durable));
    return copy;
  }

  /** Makes held appends durable, in order; all of them or the first few. */
  release(count: number = this.#held.length): void {
    for (const held of this.#held.splice(0, count)) held.makeDurable();
  }

  failHeld(code: KaasErrorCode = "KAAS_STORAGE_FAILED"): void {
    for (const held of this.#held.splice(0)) held.reject(code);
  }

  hold(held: HeldAppend): void {
    this.#held.push(held);
  }

  #slot(slot: number): DurableSlot {
    const known = this.#durable.get(slot);
    if (known !== undefined) return known;
    const durable: DurableSlot = { snapshot: undefined, entries: [], epoch: 0 };
    this.#durable.set(slot, durable);
    return durable;
  }
}

class FakeSlotJournal implements SlotJournal {
  readonly slot: number;
  readonly epoch: number;
  readonly #journals: FakeSlotJournals;
  readonly #durable: DurableSlot;
  #recovered: { snapshot: Json | undefined; entries: readonly Json[] } | undefined;
  #broken = false;

  constructor(journals: FakeSlotJournals, slot: number, durable: DurableSlot) {
    this.slot = slot;
    this.epoch = durable.epoch;
    this.#journals = journals;
    this.#durable = durable;
    this.#recovered = { snapshot: durable.snapshot, entries: [...durable.entries] };
  }

  recovered(): { snapshot: Json | undefined; entries: readonly Json[] } {
    const recovered = this.#recovered;
    if (recovered === undefined) throw new Error("recovered() was called twice");
    this.#recovered = undefined;
    return recovered;
  }

  get wantsSnapshot(): boolean {
    return this.#durable.entries.length >= this.#journals.snapshotEvery;
  }

  append(entry: Json): Promise<void> {
    const line = JSON.stringify(entry);
    return new Promise((resolve, reject) => {
      const fail = (code: KaasErrorCode = "KAAS_STORAGE_FAILED") => {
        this.#broken = true;
        reject(new KaasError(code, "the journal cannot be written"));
      };
      const makeDurable = () => {
        if (this.#broken) return fail();
        this.#durable.entries.push(JSON.parse(line) as Json);
        resolve();
      };
      if (this.#broken || this.#journals.failing) fail();
      else if (this.#journals.holding) this.#journals.hold({ slot: this.slot, makeDurable, reject: fail });
      else makeDurable();
    });
  }

  async writeSnapshot(state: Json): Promise<void> {
    this.#journals.snapshotCount++;
    if (this.#journals.hangingSnapshots) await new Promise(() => {});
    if (this.#journals.refusingSnapshots) throw new KaasError("KAAS_STORAGE_FAILED", "no snapshot can be written");
    this.#durable.snapshot = JSON.parse(JSON.stringify(state)) as Json;
    this.#durable.entries = [];
  }

  async close(): Promise<void> {
    this.#journals.openCount--;
  }
}
