import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Component, filesOf } from "./components.js";

/** The pid of a component while it runs. A pid that another program has by now is none. */
export function runningPid(folder: string, component: Component): number | undefined {
  const pid = Number(readIfThere(filesOf(folder).pid(component)) ?? Number.NaN);
  const command = Number.isInteger(pid) ? readIfThere(`/proc/${pid}/cmdline`) : undefined;
  return command?.includes(`\0${component}\0`) === true && command.includes(folder) ? pid : undefined;
}

/** Starts a component that does not run. It outlives this process; {@link kill} ends it. */
export async function launch(program: string, folder: string, component: Component, flags: string[]): Promise<void> {
  if (runningPid(folder, component) !== undefined) return;
  const files = filesOf(folder);
  const log = openSync(files.log(component), "a");
  const child = spawn(program, [component, ...flags], { detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.unref();
  writeFileSync(files.pid(component), String(child.pid));
}

/** Ends a component without a word, and resolves when it is gone, its ports with it. */
export async function kill(folder: string, component: Component): Promise<void> {
  const pid = runningPid(folder, component);
  if (pid !== undefined) {
    process.kill(pid, "SIGKILL");
    while (!hasEnded(pid)) await sleep(5);
  }
  rmSync(filesOf(folder).pid(component), { force: true });
}

/** Whether nothing of a process is left but its name, which stays until somebody asks how it ended. */
function hasEnded(pid: number): boolean {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return true;
  const isZombie = stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  // The first of its threads may be through while others still hold the files of all.
  return isZombie && threadCount(pid) <= 1;
}

function threadCount(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0; // whoever it was left to has asked how it ended, just now
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // no such process, or none was started
  }
}
