// kaasctl doctor, as an operator runs it on a volume that no broker has open.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const KAASCTL = fileURLToPath(new URL("../../apps/kaasctl/dist/main.js", import.meta.url));
/** How kaasctl ends when something is wrong with the volume. */
const WRONG = 1;

/** What it finds wrong; empty when the volume is sound. */
export function diagnosis(dataDirectory: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const args = [KAASCTL, "doctor", "--data-dir", dataDirectory];
    execFile(process.execPath, args, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (error === null) resolve([]);
      else if (error.code === WRONG) resolve([`kaasctl doctor: ${faultsIn(stdout).join("; ")}`]);
      else reject(new Error(`kaasctl doctor failed: ${stderr || error.message}`));
    });
  });
}

/** Without the notes, which say what a crash may leave and what the next opening clears away. */
function faultsIn(report: string): string[] {
  const lines = report.split("\n");
  const faults = lines.flatMap((line, at) =>
    /^(error|warning)\b/.test(line) ? [`${line} ${lines[at + 1]?.trim()}`] : [],
  );
  return faults.length === 0 ? lines.slice(-3) : faults;
}
