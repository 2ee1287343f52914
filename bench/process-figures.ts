// What a process has used, from /proc (Linux).
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** User and system seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function memory(pid: number, field: string): number {
  const line = readFileSync(`/proc/${pid}/status`, "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${field}:`));
  return Number.parseInt(line?.slice(field.length + 1) ?? "0", 10) / 1024;
}

/** Resident memory now, in MiB. */
export function residentMiB(pid: number): number {
  return memory(pid, "VmRSS");
}

/** The most that was resident since {@link clearPeak}, in MiB. */
export function peakMiB(pid: number): number {
  return memory(pid, "VmHWM");
}

export function clearPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
