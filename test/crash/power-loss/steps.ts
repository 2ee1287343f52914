// What a recorded broker has done, so that a recording in which something never happened proves nothing by silence.
import type { EventKind, Journal } from "./journal.js";

const LOG = String.raw`\d{8}-\d{20}`;

/** Each step that a power loss may come into, by the change of a name that it makes. */
const STEPS: readonly (readonly [step: string, kind: EventKind, name: RegExp])[] = [
  ["roll", "open", new RegExp(`/${LOG}\\.log$`)],
  ["seal", "link", /\/\d{8}\.seal$/],
  ["hand-over", "link", /\/\d{8}\.released$/],
  ["manifest", "link", /\.manifest\.json$/],
  ["producer snapshot", "link", /\.snapshot$/],
  ["cut of what was written ahead", "truncate", /^$/],
  ["compaction", "open", new RegExp(`/${LOG}-\\d+\\.log$`)],
  ["removal of a segment", "unlink", new RegExp(`^data/(?!\\.deleting).*/${LOG}(-\\d+)?\\.log$`)],
  ["journal rewrite", "open", /\/\d{8}-0*[1-9]\d*\.journal$/],
  ["topic made", "rename", /^data\/(?!\.deleting)[^/]+$/],
  ["topic set aside", "rename", /^data\/\.deleting-[^/]+$/],
  ["topic configured", "rename", /\/\.config\.json$/],
  ["brokers configured", "link", /\/broker-configs-\d{10}\.json$/],
];

/** How often each step was begun. */
export function countSteps(journal: Journal): ReadonlyMap<string, number> {
  const counts = new Map(STEPS.map(([step]) => [step, 0]));
  for (const { kind, isBegin, a, path, data } of journal.events()) {
    if (!isBegin || (kind === "open" && a === 0)) continue;
    const name = kind === "link" || kind === "rename" ? data.toString() : kind === "truncate" ? "" : path;
    for (const [step, stepKind, pattern] of STEPS) {
      if (stepKind === kind && pattern.test(name)) counts.set(step, (counts.get(step) ?? 0) + 1);
    }
  }
  return counts;
}
