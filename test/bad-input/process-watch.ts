import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const PAGE_BYTES = 4096;
const INTERVAL_MS = 200;

/** Watches the memory of another process, and how busy it is. */
export class ProcessWatch {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  peakBytes = 0;
  isAlive = true;

  constructor(pid: number) {
    this.#pid = pid;
    this.#look();
    this.#timer = setInterval(() => this.#look(), INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  residentBytes(): number {
    try {
      if (process.platform === "linux") {
        return Number(readFileSync(`/proc/${this.#pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES;
      }
      return Number(execFileSync("ps", ["-o", "rss=", "-p", String(this.#pid)], { encoding: "utf8" })) * 1024;
    } catch {
      return 0; // it has ended
    }
  }

  /**
   * How long its main thread has worked until now. What that is by more while a client waits, the process has made it
   * wait; a machine that is busy with others only makes it wait for longer.
   */
  workedMs(): number {
    try {
      return Number(readFileSync(`/proc/${this.#pid}/task/${this.#pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
    } catch {
      return performance.now(); // it has ended, or this is not Linux
    }
  }

  #look(): void {
    const residentBytes = this.residentBytes();
    this.isAlive = residentBytes > 0;
    this.peakBytes = Math.max(this.peakBytes, residentBytes);
  }
}
