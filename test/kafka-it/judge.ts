// judge.ts ROWS BASELINE NOT_RUN KNOWN: holds a run's rows beside Apache Kafka's own and prints ok/FAIL/skip lines.
//
// What Apache Kafka passes must pass here, or be named with its reason: in NOT_RUN (not tried) or KNOWN (tried, and
// expected to fail; a row there that passes is a failure too, so that the list stays true). What Apache Kafka itself
// does not pass from outside says nothing, and is counted only when it passes here.
import { readFileSync } from "node:fs";

type Reasons = readonly { readonly pattern: RegExp; readonly reason: string }[];

function lines(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
}

function rowsOf(path: string): Map<string, string> {
  const rows = new Map<string, string>();
  for (const line of lines(path)) {
    const match = /^(ok|FAIL|abort) +(\S+( \[\d+\])?)$/.exec(line);
    if (match !== null && rows.get(match[2] ?? "") !== "FAIL") rows.set(match[2] ?? "", match[1] ?? "");
  }
  return rows;
}

function reasonsOf(path: string): Reasons {
  return lines(path).map((line) => {
    const at = line.indexOf("  ");
    if (at < 0) throw new Error(`${path}: no reason in "${line}"`);
    return { pattern: new RegExp(line.slice(0, at)), reason: line.slice(at).trim() };
  });
}

const [rowsPath = "", baselinePath = "", notRunPath = "", knownPath = ""] = process.argv.slice(2);
const rows = rowsOf(rowsPath);
const baseline = rowsOf(baselinePath);
const notRun = reasonsOf(notRunPath);
const known = reasonsOf(knownPath);
const find = (reasons: Reasons, row: string): string | undefined => reasons.find((r) => r.pattern.test(row))?.reason;

let failed = 0;
for (const row of [...new Set([...rows.keys(), ...baseline.keys()])].sort()) {
  const verdict = rows.get(row);
  const reason = find(known, row) ?? (verdict === undefined ? find(notRun, row) : undefined);
  if (verdict === "ok") {
    const stale = find(known, row);
    if (stale !== undefined) failed += 1;
    console.log(stale === undefined ? `ok    ${row}` : `FAIL  ${row}: passes, but is listed: ${stale}`);
  } else if (baseline.get(row) === "ok") {
    if (reason === undefined) failed += 1;
    console.log(
      `${reason === undefined ? "FAIL" : "skip"}  ${row}: ${reason ?? (verdict === undefined ? "did not run" : "passes on Apache Kafka")}`,
    );
  }
}
console.error(`# ${[...rows.values()].filter((v) => v !== "ok").length} rows not ok, of ${rows.size}`);
console.log("done");
process.exitCode = failed === 0 ? 0 : 1;
