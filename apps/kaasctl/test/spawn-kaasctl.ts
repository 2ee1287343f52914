import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const kaasctl: string = fileURLToPath(new URL("../dist/main.js", import.meta.url));

const kubectlKaas = fileURLToPath(new URL("../dist/kubectl-kaas.js", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SpawnOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Which user runs it. */
  readonly uid?: number;
}

/** Runs the command as a person would, from what was built, and waits for its end. */
export function runKaasctl(args: readonly string[], options: SpawnOptions = {}): Promise<Ended> {
  if (!existsSync(kaasctl)) throw new Error(`${kaasctl} is not built; run npm run build`);
  const env = { PATH: process.env["PATH"] ?? "", ...options.environment };
  const user = options.uid === undefined ? {} : { uid: options.uid };
  return ended(spawn(process.execPath, [kaasctl, ...args], { env, stdio: ["ignore", "pipe", "pipe"], ...user }));
}

/** Runs `kubectl kaas` as kubectl would, with the kubectl that is found in `path`. */
export function runKubectlKaas(args: readonly string[], path: string): Promise<Ended> {
  const env = { PATH: path };
  return ended(spawn(process.execPath, [kubectlKaas, ...args], { env, stdio: ["ignore", "pipe", "pipe"] }));
}

/** Runs a line of shell with the command as `$KAASCTL`. */
export function runShell(line: string, shell = "bash"): Promise<Ended> {
  const env = { PATH: process.env["PATH"] ?? "", KAASCTL: `${process.execPath} ${kaasctl}` };
  return ended(spawn(shell, ["-c", line], { env, stdio: ["ignore", "pipe", "pipe"] }));
}

function ended(child: ChildProcess): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}
