// At which events the power goes: there where something has just been promised, or is just being done, and anywhere.
import type { Prng } from "../../bad-input/prng.js";
import type { EventKind, Journal } from "./journal.js";

const NAMES: ReadonlySet<EventKind> = new Set(["open", "rename", "link", "unlink", "mkdir", "rmdir", "truncate"]);
const SYNCS: ReadonlySet<EventKind> = new Set(["sync", "syncdir"]);

/** So many events before which power is lost, in order. */
export function chooseCuts(journal: Journal, count: number, prng: Prng): number[] {
  const answers: number[] = [];
  const names: number[] = [];
  const syncs: number[] = [];
  for (const { index, kind, isBegin } of journal.events()) {
    if (kind === "send" && isBegin) answers.push(index);
    else if (NAMES.has(kind)) names.push(index);
    else if (SYNCS.has(kind)) syncs.push(index);
  }
  const anywhere = () => prng.integer(journal.count + 1);
  const after = (events: readonly number[]) => (events.length === 0 ? anywhere() : prng.pick(events) + 1);
  const ways = [() => after(answers), () => after(answers), () => after(names), () => after(syncs), anywhere];
  return Array.from({ length: count }, () => prng.pick(ways)()).sort((a, b) => a - b);
}
