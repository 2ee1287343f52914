import { KaasError, type SlotJournal } from "@kaas/core";
import { entryOf, type JournalModel } from "../journal-model.js";
import type { SimulatedProcess } from "../../../packages/kaas-storage/src/testing/simulated/machine.js";
import type { Volume } from "@kaas/storage";
import type { World } from "../world.js";

const RETRY_MS = 500;
const PACE_MS = 800;

export interface SlotWorkOptions {
  readonly world: World;
  readonly process: SimulatedProcess;
  readonly volume: Volume;
  readonly slot: number;
  readonly model: JournalModel;
  /** Called when it is open, and when it is so no longer. */
  readonly changed: () => void;
}

/** One slot on one process: open while it is assigned, and appended to; handed over when it is not any more. */
export class SlotWork {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #volume: Volume;
  readonly #slot: number;
  readonly #model: JournalModel;
  readonly #changed: () => void;
  #isWanted = false;
  #isRunning = false;
  #opening: AbortController | undefined;
  #isOpen = false;

  constructor({ world, process, volume, slot, model, changed }: SlotWorkOptions) {
    this.#changed = changed;
    this.#world = world;
    this.#process = process;
    this.#volume = volume;
    this.#slot = slot;
    this.#model = model;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether nothing is open that is not wanted. */
  get isSettled(): boolean {
    return this.#isWanted === this.isOpen;
  }

  assign(isWanted: boolean): void {
    this.#isWanted = isWanted;
    if (!isWanted) this.#opening?.abort();
    if (!isWanted || this.#isRunning) return;
    this.#isRunning = true;
    this.#world.spawn(() => this.#run());
  }

  async #run(): Promise<void> {
    while (this.#isWanted && this.#process.isAlive) {
      try {
        await this.#lead();
      } catch (error) {
        if (!this.#process.isAlive) return;
        if (!(error instanceof KaasError) || error.code === "KAAS_VOLUME_INVALID") throw error;
        this.#world.history.note(this.#process.name, `slot ${this.#slot}: ${error.message}`);
      }
      this.#setOpen(false);
      if (this.#isWanted) await this.#process.sleep(RETRY_MS);
    }
    this.#isRunning = false;
  }

  #setOpen(isOpen: boolean): void {
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    this.#changed();
  }

  async #lead(): Promise<void> {
    this.#opening = new AbortController();
    const journal = await this.#volume.slotJournals.open("groups", this.#slot, this.#opening.signal);
    if (!this.#process.isAlive) return;
    this.#setOpen(true);
    const { snapshot, entries } = journal.recovered();
    const state = this.#model.recovered(journal.epoch, snapshot, entries);
    while (this.#isWanted && this.#process.isAlive) {
      await this.#append(journal, state);
      await this.#process.sleep(this.#world.chance.between(1, PACE_MS));
    }
    if (this.#process.isAlive) await journal.close();
  }

  async #append(journal: SlotJournal, state: number[]): Promise<void> {
    const { chance } = this.#world;
    const writes = Array.from({ length: 1 + chance.below(3) }, async () => {
      const entry = this.#model.next();
      await journal.append(entryOf(entry));
      if (!this.#process.isAlive) return;
      this.#model.acknowledged(journal.epoch, entry);
      state.push(entry);
    });
    if (chance.happens(0.1)) {
      // Entries on their way are not in the state, so the snapshot comes when there are none.
      await Promise.allSettled(writes);
      writes.push(journal.writeSnapshot([...state]));
    }
    const failed = (await Promise.allSettled(writes)).find((outcome) => outcome.status === "rejected");
    if (failed?.status !== "rejected") return;
    await journal.close().catch(() => undefined);
    throw failed.reason;
  }
}
