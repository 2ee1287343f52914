/** What a broker holds before anything is placed. */
export interface Holding {
  /** How much it has to keep, whatever balance would want. */
  readonly pinned: number;
  /** How much it has, pinned or not. */
  readonly held: number;
  /** Breaks ties: who has less of other kinds gets the odd one. */
  readonly load: number;
}

/**
 * How much each broker should have of `total`: as even as what is pinned allows, and of all ways to be so the one that
 * moves least. Those that have most get what cannot be divided.
 *
 * ```
 * held   7 3 0   total 10, three brokers: 4 3 3, so 3 move
 * pinned 6 0 0                            6 2 2
 * ```
 */
export function quotasOf(holdings: readonly Holding[], total: number): Int32Array {
  const quotas = new Int32Array(holdings.length);
  const sharing = shareOf(holdings, total);
  for (const [broker, { pinned }] of holdings.entries()) quotas[broker] = pinned;
  const { members, each, odd } = sharing;
  const order = members.sort((one, other) => compare(holdings, each, one, other));
  for (const [rank, broker] of order.entries()) quotas[broker] = each + (rank < odd ? 1 : 0);
  return quotas;
}

interface Share {
  /** Who shares what those leave that have more pinned than their share. */
  readonly members: number[];
  readonly each: number;
  /** How many of them get one more. */
  readonly odd: number;
}

function shareOf(holdings: readonly Holding[], total: number): Share {
  let members = holdings.map((_, broker) => broker);
  let left = total;
  for (;;) {
    const each = Math.floor(left / members.length);
    const odd = left - each * members.length;
    // Who has one more pinned than the others get may be one of the odd ones, as long as there are enough of these.
    const level = members.filter((broker) => pinnedOf(holdings, broker) === each + 1).length <= odd ? each + 1 : each;
    const over = members.filter((broker) => pinnedOf(holdings, broker) > level);
    if (over.length === 0) return { members, each, odd };
    for (const broker of over) left -= pinnedOf(holdings, broker);
    members = members.filter((broker) => !over.includes(broker));
    if (members.length === 0) return { members, each: 0, odd: 0 };
  }
}

function pinnedOf(holdings: readonly Holding[], broker: number): number {
  return holdings[broker]?.pinned ?? 0;
}

/** Who has one more than the others pinned comes first, then who holds most. */
function compare(holdings: readonly Holding[], each: number, one: number, other: number): number {
  const [a, b] = [holdings[one], holdings[other]];
  if (a === undefined || b === undefined) return 0;
  return Number(b.pinned > each) - Number(a.pinned > each) || b.held - a.held || a.load - b.load || one - other;
}
