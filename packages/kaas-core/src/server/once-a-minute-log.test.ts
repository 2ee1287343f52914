import { expect, test } from "vitest";
import { ManualClock } from "../../test/fakes/manual-clock.js";
import { type LogFields, silentLog } from "../ports/log.js";
import { OnceAMinuteLog } from "./once-a-minute-log.js";

function harness() {
  const clock = new ManualClock();
  const lines: LogFields[] = [];
  const log = new OnceAMinuteLog(clock, { ...silentLog, warn: (fields) => lines.push(fields) });
  return { clock, lines, log };
}

test("a subject is spoken of once a minute, with the count of what went unsaid", () => {
  const { clock, lines, log } = harness();
  for (let count = 0; count < 5; count++) log.warn("10.0.0.1", { count }, "bad");
  log.warn("10.0.0.2", {}, "bad");
  expect(lines).toEqual([{ count: 0 }, {}]);
  clock.advance(60_000);
  log.warn("10.0.0.1", {}, "bad");
  expect(lines[2]).toEqual({ unloggedCount: 4 });
});

test("a flood of subjects is forgotten oldest first", () => {
  const { lines, log } = harness();
  for (let subject = 0; subject < 1025; subject++) log.warn(`subject ${subject}`, {}, "bad");
  log.warn("subject 1024", {}, "bad");
  expect(lines).toHaveLength(1025);
  log.warn("subject 0", {}, "bad");
  expect(lines).toHaveLength(1026);
});
