interface Count {
  readonly total: number;
  readonly covered: number;
}

/** What vitest's `json-summary` reporter writes: one entry a file, by absolute path, and a `total`. */
export type Summary = Readonly<Record<string, { readonly lines: Count; readonly branches: Count }>>;

/** Percent, with one decimal. */
export interface Coverage {
  readonly lines: number;
  readonly branches: number;
}

const KINDS = ["lines", "branches"] as const;

/** By package folder. */
export type Floors = Readonly<Record<string, Coverage>>;

/** Timing decides a few branches, so a run may lie this much (in percentage points) below the best. */
const TOLERANCE = 0.5;
/** A gain of more than this is worth keeping: the floor would let all of it be lost again. */
const SLACK_MAX = 3;

export function sumByPackage(summary: Summary, root: string): Floors {
  const sums = new Map<
    string,
    { lines: { total: number; covered: number }; branches: { total: number; covered: number } }
  >();
  for (const [file, { lines, branches }] of Object.entries(summary)) {
    if (!file.startsWith(root)) continue; // the total of all
    const name = file.slice(root.length).split("/").slice(0, 2).join("/");
    const sum = sums.get(name) ?? { lines: { total: 0, covered: 0 }, branches: { total: 0, covered: 0 } };
    sums.set(name, sum);
    sum.lines.total += lines.total;
    sum.lines.covered += lines.covered;
    sum.branches.total += branches.total;
    sum.branches.covered += branches.covered;
  }
  return Object.fromEntries(
    [...sums].map(([name, { lines, branches }]) => [name, { lines: percent(lines), branches: percent(branches) }]),
  );
}

function percent({ total, covered }: Count): number {
  return total === 0 ? 100 : Math.floor((covered / total) * 1000) / 10;
}

/** One line for each floor that was not reached, or is missing. */
export function coverageFalls(reached: Floors, floors: Floors): string[] {
  return Object.entries(reached).flatMap(([name, coverage]) => {
    const floor = floors[name];
    if (floor === undefined) return [`${name} has no floor; run npm run coverage:raise`];
    return KINDS.filter((kind) => coverage[kind] < floor[kind] - TOLERANCE).map(
      (kind) => `${name}: ${kind} fell from ${floor[kind]} to ${coverage[kind]} %`,
    );
  });
}

/** One line for each floor that lies far below what was reached. */
export function coverageGains(reached: Floors, floors: Floors): string[] {
  return Object.entries(reached).flatMap(([name, coverage]) => {
    const floor = floors[name] ?? coverage;
    return KINDS.filter((kind) => coverage[kind] > floor[kind] + SLACK_MAX).map(
      (kind) => `${name}: ${kind} rose from ${floor[kind]} to ${coverage[kind]} %; keep it with npm run coverage:raise`,
    );
  });
}

/** Floors that only ever go up, and forget packages that are gone. */
export function raiseFloors(reached: Floors, floors: Floors): Floors {
  return Object.fromEntries(
    Object.entries(reached).map(([name, { lines, branches }]) => {
      const floor = floors[name] ?? { lines: 0, branches: 0 };
      return [name, { lines: Math.max(lines, floor.lines), branches: Math.max(branches, floor.branches) }];
    }),
  );
}
