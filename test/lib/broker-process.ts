// The broker under test, by the launchers in brokers/; KAAS_TEST_BROKER says which.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

export class BrokerProcess {
  readonly port: number;
  readonly directory: string;
  readonly #launcher: string;
  pid = 0;
  /** From the start of the process to its first answer, the last time. */
  startMs = 0;
  /** Added to what the launcher is run with. */
  environment: Readonly<Record<string, string>> = {};

  constructor(kind: string, port: number, directory: string) {
    this.port = port;
    this.directory = directory;
    this.#launcher = fileURLToPath(new URL(`../brokers/${kind}.sh`, import.meta.url));
  }

  /** Resolves once it answers; `properties` are KEY=VALUE and are kept for later starts. */
  async start(...properties: readonly string[]): Promise<void> {
    this.pid = 0;
    const { stdout } = await this.#run("start", ...properties);
    this.pid = Number(stdout.trim().split("\n").at(-1));
    this.startMs = Number(readFileSync(`${this.directory}/start-ms`, "utf8"));
  }

  /** SIGTERM; rejects when that takes too long. */
  async stop(): Promise<void> {
    await this.#run("stop");
  }

  /** SIGKILL, at once. */
  kill(): void {
    process.kill(this.pid, "SIGKILL");
  }

  isAlive(): boolean {
    if (this.pid === 0) return false;
    try {
      // A process that nobody has collected yet is a zombie.
      return !/\) Z /.test(readFileSync(`/proc/${this.pid}/stat`, "utf8"));
    } catch {
      return false;
    }
  }

  #run(command: string, ...properties: readonly string[]): Promise<{ stdout: string }> {
    const env = { ...process.env, ...this.environment };
    return run(this.#launcher, [command, String(this.port), this.directory, ...properties], { env });
  }
}
