import { NO_LEADER, type PartitionWish } from "../assignment.js";
import { type BrokerTable, NOBODY } from "./broker-table.js";

interface Group {
  readonly leaders: readonly number[];
  readonly wishes: readonly PartitionWish[] | undefined;
}

/**
 * What is shared out: the partitions of all topics, or the slots of one kind. Each is a number, in the order of the
 * groups; brokers are indexes of the table. Flat, as there may be tens of thousands.
 */
export class Items {
  readonly #table: BrokerTable;
  readonly #groups: readonly Group[];
  readonly #brokers: Int32Array;
  readonly #groupOf: Int32Array;
  /** First item of each group; one entry more for the end. */
  readonly #starts: Int32Array;
  readonly #wished = new Map<number, number>();
  /** How much of each group each broker that leads has. */
  readonly #spread: Int32Array;
  readonly #changed = new Set<number>();

  constructor(table: BrokerTable, groups: readonly Group[]) {
    this.#table = table;
    this.#groups = groups;
    this.#starts = new Int32Array(groups.length + 1);
    for (const [group, { leaders }] of groups.entries()) {
      this.#starts[group + 1] = (this.#starts[group] ?? 0) + leaders.length;
    }
    const count = this.#starts[groups.length] ?? 0;
    this.#brokers = new Int32Array(count).fill(NOBODY);
    this.#groupOf = new Int32Array(count);
    this.#spread = new Int32Array(groups.length * table.leading);
    for (const [group, { leaders, wishes }] of groups.entries()) this.#load(group, leaders, wishes ?? []);
  }

  #load(group: number, leaders: readonly number[], wishes: readonly PartitionWish[]): void {
    const start = this.#starts[group] ?? 0;
    const { indexes, leading } = this.#table;
    for (const [partition, nodeId] of leaders.entries()) {
      this.#groupOf[start + partition] = group;
      const broker = indexes.get(nodeId) ?? NOBODY;
      this.#brokers[start + partition] = broker;
      this.#count(group, broker, 1);
      // The node id of a broker that is gone does not stay.
      if (broker === NOBODY && nodeId !== NO_LEADER) this.#changed.add(group);
    }
    for (const { partition, brokers } of wishes) {
      const wished = brokers.map((nodeId) => indexes.get(nodeId) ?? NOBODY).find((one) => one >= 0 && one < leading);
      if (wished !== undefined && partition < leaders.length) this.#wished.set(start + partition, wished);
    }
  }

  *all(): Generator<number> {
    for (let item = 0; item < this.#brokers.length; item++) yield item;
  }

  withWish(): IterableIterator<number> {
    return this.#wished.keys();
  }

  /** Who has it; {@link NOBODY}. */
  broker(item: number): number {
    return this.#brokers[item] ?? NOBODY;
  }

  /** Who shall have it because somebody asked for that; {@link NOBODY} where nobody did, or where it cannot be. */
  wished(item: number): number {
    return this.#wished.get(item) ?? NOBODY;
  }

  move(item: number, broker: number): void {
    const group = this.#groupOf[item] ?? 0;
    this.#count(group, this.broker(item), -1);
    this.#count(group, broker, 1);
    this.#brokers[item] = broker;
    this.#changed.add(group);
  }

  /** Of the brokers with a gap the one with least of the item's group, then one in another rack than its neighbours. */
  bestFor(item: number, gaps: Int32Array): number {
    const spread = (this.#groupOf[item] ?? 0) * this.#table.leading;
    let best = NOBODY;
    let [bestSpread, bestRacks, bestGap] = [0, 0, 0];
    for (let broker = 0; broker < gaps.length; broker++) {
      const gap = gaps[broker] ?? 0;
      if (gap <= 0) continue;
      const has = this.#spread[spread + broker] ?? 0;
      if (best !== NOBODY && has > bestSpread) continue;
      const racks = this.#neighboursInRack(item, broker);
      const isBetter =
        best === NOBODY || has < bestSpread || racks < bestRacks || (racks === bestRacks && gap > bestGap);
      if (isBetter) [best, bestSpread, bestRacks, bestGap] = [broker, has, racks, gap];
    }
    return best;
  }

  /** For each broker with too much: what it may lose, from what it should lose last to what it should lose first. */
  spare(gaps: Int32Array): number[][] {
    const ranked: { readonly item: number; readonly rank: number }[][] = Array.from(gaps, () => []);
    const seen = new Int32Array(this.#spread.length);
    for (const item of this.all()) {
      const broker = this.broker(item);
      if (broker === NOBODY || (gaps[broker] ?? 0) >= 0 || this.#wished.has(item)) continue;
      const at = (this.#groupOf[item] ?? 0) * this.#table.leading + broker;
      const rank = (seen[at] ?? 0) + 1;
      seen[at] = rank;
      ranked[broker]?.push({ item, rank });
    }
    return ranked.map((items) =>
      items.sort((one, other) => one.rank - other.rank || one.item - other.item).map(({ item }) => item),
    );
  }

  /** Node ids, of the groups in which an item moved. */
  changed(): ReadonlyMap<number, readonly number[]> {
    const { nodeIds } = this.#table;
    const leaders = new Map<number, readonly number[]>();
    for (const group of [...this.#changed].sort((one, other) => one - other)) {
      const count = this.#groups[group]?.leaders.length ?? 0;
      const start = this.#starts[group] ?? 0;
      leaders.set(
        group,
        Array.from({ length: count }, (_, partition) => nodeIds[this.broker(start + partition)] ?? NO_LEADER),
      );
    }
    return leaders;
  }

  #count(group: number, broker: number, change: number): void {
    if (broker < 0 || broker >= this.#table.leading) return;
    const at = group * this.#table.leading + broker;
    this.#spread[at] = (this.#spread[at] ?? 0) + change;
  }

  #neighboursInRack(item: number, broker: number): number {
    const rack = this.#table.racks[broker] ?? -1;
    if (rack === -1) return 0;
    return Number(this.#isInRack(item, item - 1, rack)) + Number(this.#isInRack(item, item + 1, rack));
  }

  #isInRack(item: number, neighbour: number, rack: number): boolean {
    if (neighbour < 0 || neighbour >= this.#brokers.length) return false;
    if (this.#groupOf[neighbour] !== this.#groupOf[item]) return false;
    return this.#table.racks[this.broker(neighbour)] === rack;
  }
}
