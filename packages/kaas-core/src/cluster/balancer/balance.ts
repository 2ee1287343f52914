import type { PartitionWish } from "../assignment.js";
import { type BrokerTable, NOBODY } from "./broker-table.js";
import { Items } from "./items.js";
import { quotasOf } from "./quotas.js";

/** How many leaders that are alive may still be moved, and how many would have been. */
export interface MoveBudget {
  left: number;
  postponed: number;
  /** Whether shares that are unequal are a reason to move. */
  readonly evensOut: boolean;
}

interface Group {
  /** Node ids. */
  readonly leaders: readonly number[];
  readonly wishes: readonly PartitionWish[] | undefined;
}

/** Shares the items of all groups out; answers the leaders of those groups of which something changed. */
export function balance(
  table: BrokerTable,
  groups: readonly Group[],
  budget: MoveBudget,
): { readonly changed: ReadonlyMap<number, readonly number[]> } {
  const items = new Items(table, groups);
  if (table.leading > 0) {
    const gaps = gapsOf(table, items);
    placeLeaderless(items, gaps);
    placeDrained(table, items, gaps, budget);
    grantWishes(table, items, budget);
    if (budget.evensOut) evenOut(table, items, gaps, budget);
  }
  for (const item of items.all()) {
    const broker = items.broker(item);
    if (broker !== NOBODY) table.loads[broker] = (table.loads[broker] ?? 0) + 1;
  }
  return { changed: items.changed() };
}

/** How many items each broker that leads should get; negative where it has too many. */
function gapsOf(table: BrokerTable, items: Items): Int32Array {
  const held = new Int32Array(table.leading);
  const pinned = new Int32Array(table.leading);
  let total = 0;
  for (const item of items.all()) {
    const wished = items.wished(item);
    const broker = wished === NOBODY ? items.broker(item) : wished;
    if (broker !== NOBODY && broker < table.leading) {
      held[broker] = (held[broker] ?? 0) + 1;
      if (wished !== NOBODY) pinned[broker] = (pinned[broker] ?? 0) + 1;
    }
    total++;
  }
  const holdings = Array.from(held, (count, broker) => ({
    held: count,
    pinned: pinned[broker] ?? 0,
    load: table.loads[broker] ?? 0,
  }));
  return quotasOf(holdings, total).map((quota, broker) => quota - (held[broker] ?? 0));
}

function placeLeaderless(items: Items, gaps: Int32Array): void {
  for (const item of items.all()) {
    if (items.broker(item) !== NOBODY) continue;
    const wished = items.wished(item);
    if (wished === NOBODY) fillGap(items, gaps, item);
    else items.move(item, wished);
  }
}

function placeDrained(table: BrokerTable, items: Items, gaps: Int32Array, budget: MoveBudget): void {
  for (const item of items.all()) {
    if (items.broker(item) < table.leading || !spend(budget)) continue;
    const wished = items.wished(item);
    if (wished === NOBODY) fillGap(items, gaps, item);
    else items.move(item, wished);
  }
}

function grantWishes(table: BrokerTable, items: Items, budget: MoveBudget): void {
  for (const item of items.withWish()) {
    const wished = items.wished(item);
    const broker = items.broker(item);
    if (wished !== broker && broker < table.leading && spend(budget)) items.move(item, wished);
  }
}

/** Takes from those that have most what their topics can best spare, until nobody has too much. */
function evenOut(table: BrokerTable, items: Items, gaps: Int32Array, budget: MoveBudget): void {
  const spare = items.spare(gaps);
  for (;;) {
    let fullest = NOBODY;
    for (let broker = 0; broker < table.leading; broker++) {
      if ((gaps[broker] ?? 0) < (fullest === NOBODY ? 0 : (gaps[fullest] ?? 0))) fullest = broker;
    }
    if (fullest === NOBODY) return;
    const item = spare[fullest]?.pop();
    if (item === undefined) return; // unreachable: a quota covers what is pinned
    gaps[fullest] = (gaps[fullest] ?? 0) + 1;
    if (spend(budget)) fillGap(items, gaps, item);
  }
}

function spend(budget: MoveBudget): boolean {
  if (budget.left === 0) {
    budget.postponed++;
    return false;
  }
  budget.left--;
  return true;
}

function fillGap(items: Items, gaps: Int32Array, item: number): void {
  const broker = items.bestFor(item, gaps);
  gaps[broker] = (gaps[broker] ?? 0) - 1;
  items.move(item, broker);
}
