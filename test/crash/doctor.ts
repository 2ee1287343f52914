// kaasctl doctor, as an operator runs it on a volume that no broker has open.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const KAASCTL = fileURLToPath(new URL("../../apps/kaasctl/dist/main.js", import.meta.url));
/** How kaasctl ends when something is wrong with the volume. */
const WRONG = 1;

type Finding = { readonly severity: string; readonly code: string; readonly file: string; readonly message: string };

/**
 * A bad batch before a valid one, both behind what is known to be durable: the sectors of what was under way when power was
 * lost arrive in any order. A disk that lost data leaves the same, so the doctor has to warn of it. Whether anything
 * acknowledged is gone is seen when the volume is opened; afterwards it must not be there any more.
 */
export const scatteredTail: RegExp =
  /^kaasctl doctor: tail-damaged: .*: the batch at byte \d+ is bad, and a valid one begins at byte \d+$/;

/** What it finds wrong; empty when the volume is sound. */
export function diagnosis(dataDirectory: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const args = [KAASCTL, "doctor", "--data-dir", dataDirectory, "-o", "json"];
    execFile(process.execPath, args, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (error === null) resolve([]);
      else if (error.code !== WRONG) reject(new Error(`kaasctl doctor failed: ${stderr || error.message}`));
      else {
        const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
        const faults = findings.filter((one) => one.severity !== "note");
        resolve(faults.map(({ code, file, message }) => `kaasctl doctor: ${code}: ${file}: ${message}`));
      }
    });
  });
}
