// rows.ts LOG: one row for each test of a JUnit console log: 'ok|FAIL|abort Class.method [invocation]'.
import { readFileSync } from "node:fs";

const verdicts: Record<string, string> = { SUCCESSFUL: "ok", FAILED: "FAIL", ABORTED: "abort" };

for (const line of readFileSync(process.argv[2] ?? "", "utf8").split("\n")) {
  const match = / :: (SUCCESSFUL|FAILED|ABORTED)$/.exec(line);
  const path = line.split(" > ");
  if (match === null || path.length < 4) continue;
  const method = (path[2] ?? "").replace(/\(.*/, "");
  const invocation = /\[\d+\]/.exec(path.at(-1) ?? "")?.[0] ?? "";
  console.log(`${verdicts[match[1] ?? ""]?.padEnd(5)} ${path[1]}.${method} ${invocation}`.trimEnd());
}
