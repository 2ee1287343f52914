import { spawn } from "node:child_process";
import { UsageError } from "../usage-error.js";

/** What a call of kubectl came to. */
export interface KubectlAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command by which a cluster is reached. */
export interface Kubectl {
  /** Runs it, and resolves with what it wrote. */
  ask(args: readonly string[]): Promise<KubectlAnswer>;
  /** Runs it in place of this process: what it reads and writes is what this one would. Resolves with its exit code. */
  handOver(args: readonly string[]): Promise<number>;
}

/** Rejects with a `UsageError` where there is no kubectl. */
export const kubectlOnPath: Kubectl = {
  async ask(args) {
    let stdout = "";
    let stderr = "";
    const child = spawn("kubectl", args, { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      stderr += chunk;
    });
    return { code: await ended(child), stdout, stderr };
  },

  handOver: (args) => ended(spawn("kubectl", args, { stdio: "inherit" })),
};

function ended(child: ReturnType<typeof spawn>): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === "ENOENT";
      reject(isMissing ? new UsageError("there is no kubectl on the PATH") : error);
    });
    child.on("close", (code) => resolve(code ?? -1));
  });
}
