/**
 * judge-dump.ts < what kafka-dump-log printed of segments and indexes: each line must be as expected, and
 * nothing else may be complained of. Exits with 1 and says what differs otherwise.
 */
import { readFileSync } from "node:fs";

const ENTRY_BYTES: Readonly<Record<string, number>> = { index: 8, timeindex: 12, txnindex: 34 };

/** Said of compacted logs with reason, and of all that do not begin with offset 0. */
const HOLES = /^Non-consecutive offsets in |^ +-?\d+ is followed by \d+$/;
const NOTHING = /^(Log starting offset: \d+|.* is empty\.|)$/;

function isExpected(line: string): boolean {
  return HOLES.test(line) || NOTHING.test(line);
}

const problems: string[] = [];
const sections = new Map<string, string[]>();
let section: string[] = problems;
for (const line of readFileSync(0, "utf8").split("\n")) {
  const file = /^Dumping (\S+)$/.exec(line)?.[1];
  if (file !== undefined) {
    section = [];
    sections.set(file, section);
  } else if (/^(baseOffset: |\| offset: |offset: |timestamp: |version: )/.test(line)) {
    section.push(line);
  } else if (!isExpected(line)) {
    problems.push(line);
  }
}

for (const [file, lines] of sections) {
  const entryBytes = ENTRY_BYTES[file.split(".").at(-1) ?? ""];
  if (entryBytes !== undefined) {
    const entries = readFileSync(file).length / entryBytes;
    if (entries !== lines.length) problems.push(`${file}: ${entries} entries, ${lines.length} dumped`);
    continue;
  }
  const expected = readFileSync(file.replace(/log$/, "dump"), "utf8").replace(/\n$/, "").split("\n");
  const at = expected.findIndex((line, index) => line !== lines[index]);
  if (at >= 0) problems.push(`${file}:${at + 1}`, `  expected ${expected[at]}`, `  dumped   ${lines[at]}`);
  if (lines.length !== expected.length)
    problems.push(`${file}: ${expected.length} lines expected, ${lines.length} dumped`);
}
if (sections.size === 0) problems.push("nothing was dumped");
for (const problem of problems.slice(0, 12)) console.log(problem.slice(0, 400));
process.exitCode = problems.length === 0 ? 0 : 1;
