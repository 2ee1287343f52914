import { KaasError, type SlotJournal, type SlotJournals, type SlotKind } from "@kaas/core";
import type { Stallable } from "../leadership/stall-watch.js";
import { SLOT_DIRECTORIES, slotDirectoryName } from "./slot-files.js";
import { type SlotEnvironment, VolumeSlotJournal } from "./volume-slot-journal.js";

/** The coordinator slots on one volume. */
export class VolumeSlotJournals implements SlotJournals {
  readonly slotCount: number;
  readonly #environment: SlotEnvironment;
  readonly #root: string;
  readonly #open = new Map<string, Promise<VolumeSlotJournal>>();
  readonly #opened = new Map<string, VolumeSlotJournal>();

  constructor(environment: SlotEnvironment, root: string, slotCount: number) {
    this.#environment = environment;
    this.#root = root;
    this.slotCount = slotCount;
  }

  open(kind: SlotKind, slot: number, unwanted?: AbortSignal): Promise<SlotJournal> {
    if (!Number.isInteger(slot) || slot < 0 || slot >= this.slotCount) {
      return Promise.reject(new KaasError("KAAS_STORAGE_FAILED", `there is no slot ${slot} of ${this.slotCount}`));
    }
    const name = slotDirectoryName(slot);
    const key = `${kind}/${name}`;
    const place = { root: this.#root, kind: SLOT_DIRECTORIES[kind], name };
    const opening = (this.#open.get(key) ?? Promise.resolve())
      // One process has one journal of a slot: the one before is closed first.
      .then((before) => before?.close())
      .catch(() => undefined)
      .then(() => VolumeSlotJournal.open(slot, this.#environment, place, unwanted));
    this.#open.set(key, opening);
    opening.then(
      (journal) => this.#opened.set(key, journal),
      () => this.#opened.delete(key),
    );
    return opening;
  }

  /** Those that may wait for the disk. */
  opened(): Iterable<Stallable> {
    return this.#opened.values();
  }

  /** Closes every journal that is open. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values());
    const closing = opened.map((one) => (one.status === "fulfilled" ? one.value.close() : undefined));
    for (const one of await Promise.allSettled(closing)) {
      if (one.status === "rejected") {
        this.#environment.log.error({ err: one.reason }, "a coordinator's journal could not be handed over cleanly");
      }
    }
  }
}
