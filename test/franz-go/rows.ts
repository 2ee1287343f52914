// rows.ts NOT_RUN < 'go test -json': ok/FAIL/skip lines for each test (not its subtests), the output of those that
// failed on standard error, and 'done' once the package ended.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

type Event = { readonly Action: string; readonly Test?: string; readonly Output?: string; readonly Elapsed?: number };

const outputs = new Map<string, string[]>();
const running = new Set<string>();
let failed = 0;
let ended = false;

function fail(test: string, why: string): void {
  failed += 1;
  console.log(`FAIL  ${test} ${why}`);
  console.error(`--- ${test}\n${(outputs.get(test) ?? []).slice(-40).join("")}`);
}

for await (const line of createInterface({ input: process.stdin })) {
  if (!line.startsWith("{")) {
    console.error(line);
    continue;
  }
  const event = JSON.parse(line) as Event;
  const test = (event.Test ?? "").split("/")[0] ?? "";
  const whole = event.Test === test;
  if (event.Action === "output") outputs.set(test, [...(outputs.get(test) ?? []), event.Output ?? ""].slice(-200));
  else if (test === "") ended = event.Action === "pass" || event.Action === "fail";
  else if (!whole) continue;
  else if (event.Action === "run") running.add(test);
  else if (["pass", "skip", "fail"].includes(event.Action)) {
    running.delete(test);
    if (event.Action === "pass") console.log(`ok    ${test} ${event.Elapsed} s`);
    else if (event.Action === "skip") console.log(`skip  ${test} by franz-go itself`);
    else fail(test, `${event.Elapsed} s`);
  }
}
for (const test of running) fail(test, "did not end");
for (const row of readFileSync(process.argv[2] ?? "", "utf8").split("\n")) {
  if (row !== "" && !row.startsWith("#")) console.log(`skip  ${row}`);
}
if (failed > 0) console.error(`--- package\n${(outputs.get("") ?? []).join("")}`);
if (ended) console.log("done");
process.exitCode = failed === 0 && ended ? 0 : 1;
