import type { LeadershipReport } from "./cluster/leadership-report.js";
import type { PartitionLeads } from "./cluster/partition-leads.js";
import type { GroupCoordinator } from "./groups/group-coordinator.js";
import type { Clock } from "./ports/clock.js";
import type { ClusterView } from "./ports/cluster-view.js";

export interface BrokerLeadershipOptions {
  readonly view: ClusterView;
  readonly partitions: PartitionLeads;
  readonly groups: GroupCoordinator;
  readonly clock: Clock;
}

/** What this broker leads, partitions and slots together: follows the view, tells of it, and hands all of it over. */
export class BrokerLeadership {
  readonly #options: BrokerLeadershipOptions;
  readonly #listeners = new Set<() => void>();
  #isToldSoon = false;
  #leadsNothing = false;
  #unfollow: (() => void) | undefined;

  constructor(options: BrokerLeadershipOptions) {
    this.#options = options;
    options.partitions.onChange(() => this.#changed());
    options.groups.onSlotChange(() => this.#changed());
  }

  /** Follows the view with coordinator slots, as partitions do already; resolves when each was tried once. */
  async start(): Promise<void> {
    const { view } = this.#options;
    this.#unfollow = view.onChange(() => void this.#leadSlots());
    await this.#leadSlots();
  }

  close(): void {
    this.#unfollow?.();
    this.#listeners.clear();
  }

  report(): LeadershipReport {
    const { partitions, groups } = this.#options;
    const { assigned, releasing } = partitions.counts;
    const led = partitions.led();
    const open = groups.openSlots();
    const slots = groups.slotCounts;
    return {
      led,
      slots: { groups: open, transactions: [] },
      assigned: assigned + slots.assigned,
      recovering: assigned - led.length + slots.assigned - open.length,
      releasing: releasing + slots.releasing,
    };
  }

  /** Called soon after the report has changed, once for many changes. Returns a function that takes it back. */
  onChange(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /**
   * Leads nothing any more. Waits for so long until others have been given what is led here, which keeps the time short
   * in which nobody leads; what is left then is handed over all the same.
   */
  async drain(waitMs: number): Promise<void> {
    await this.#givenAway(waitMs);
    this.#leadsNothing = true;
    await Promise.all([this.#options.partitions.leaveAll(), this.#leadSlots()]);
  }

  #leadSlots(): Promise<void> {
    const { view, groups } = this.#options;
    return groups.lead((slot) => !this.#leadsNothing && view.coordinator("groups", slot) === view.nodeId);
  }

  /** Resolves when the view gives nothing to this broker any more, or when the time is up. */
  #givenAway(waitMs: number): Promise<void> {
    const { view, partitions, groups, clock } = this.#options;
    const isOver = (): boolean => partitions.counts.assigned === 0 && groups.slotCounts.assigned === 0;
    if (waitMs <= 0 || isOver()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        unfollow();
        resolve();
      };
      const timer = clock.schedule(waitMs, end);
      const unfollow = view.onChange(() => {
        if (isOver()) end();
      });
    });
  }

  #changed(): void {
    if (this.#isToldSoon) return;
    this.#isToldSoon = true;
    queueMicrotask(() => {
      this.#isToldSoon = false;
      for (const callback of this.#listeners) callback();
    });
  }
}
