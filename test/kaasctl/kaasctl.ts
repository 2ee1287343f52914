import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const KAASCTL = fileURLToPath(new URL("../../apps/kaasctl/dist/main.js", import.meta.url));

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as a person would, against the broker of a port. */
export async function kaasctl(port: number, ...args: readonly string[]): Promise<Ended> {
  const line = [KAASCTL, ...args, "--bootstrap-server", `127.0.0.1:${port}`];
  return await new Promise((resolve) => {
    execFile(process.execPath, line, { env: { PATH: process.env["PATH"] } }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });
}

/** The same with a result for programs; throws unless all is well and nothing was said beside. */
export async function asked<Result>(port: number, ...args: readonly string[]): Promise<Result> {
  const { code, stdout, stderr } = await kaasctl(port, ...args, "-o", "json");
  if (code !== 0 || stderr !== "") throw new Error(`${args.join(" ")}: exit status ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}

/** A table's lines, each as its cells. */
export async function table(port: number, ...args: readonly string[]): Promise<string[][]> {
  const { code, stdout, stderr } = await kaasctl(port, ...args);
  if (code !== 0 || stderr !== "") throw new Error(`${args.join(" ")}: exit status ${code}: ${stderr}`);
  return stdout.split("\n").map((line) => line.trim().split(/ {2,}/));
}
