import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command as a user runs it, from what was built. */
export class BrokerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ended>;
  #stdout = "";
  #stderr = "";
  #onOutput: () => void = () => {};

  constructor(args: readonly string[], environment: Record<string, string> = {}) {
    if (!existsSync(command)) throw new Error(`${command} is not built; run npm run build`);
    const env = { PATH: process.env.PATH ?? "", ...environment };
    this.#child = spawn(process.execPath, [command, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.#stdout += chunk.toString();
      this.#onOutput();
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString()));
    this.#ended = new Promise((resolve) => {
      this.#child.on("close", (code) => {
        this.#onOutput();
        resolve({ code, stdout: this.#stdout, stderr: this.#stderr });
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  ended(): Promise<Ended> {
    return this.#ended;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The line that says what runs. */
  async announced(): Promise<Announcement> {
    for (;;) {
      const line = this.#stdout.split("\n").find((candidate) => candidate.includes('"clusterId"'));
      if (line !== undefined) return JSON.parse(line) as Announcement;
      if (this.#child.exitCode !== null) throw new Error(`it ended: ${this.#stdout}${this.#stderr}`);
      await new Promise<void>((resolve) => (this.#onOutput = resolve));
    }
  }
}

export interface Announcement {
  readonly level: string;
  readonly listeners: readonly string[];
  readonly dataDirectory: string | null;
  readonly clusterId: string;
  readonly mode: string;
  readonly msg: string;
}

/** Runs a program that embeds a broker, from what was built. Resolves with what it printed once it has ended by itself. */
export function runEmbedding(body: string): Promise<Ended> {
  const library = new URL("../dist/index.js", import.meta.url).href;
  const program = `import { startKafkaBroker } from ${JSON.stringify(library)};\n${body}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

/** A directory for the time of one test. */
export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "kaas-broker-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
