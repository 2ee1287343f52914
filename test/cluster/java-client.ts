import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("java/run.sh", import.meta.url));
/** Nothing was failed, lost, doubled in the log, out of order or left unread. */
const FLAWLESS = /^sent [1-9]\d* failed 0 lost 0 duplicated 0 unordered 0 unread 0 /;

/**
 * Has an idempotent Java producer and a consumer group at work while something happens; resolves with what they say, and
 * rejects unless that is flawless.
 */
export async function underJavaClients(
  bootstrapServers: readonly string[],
  topic: string,
  meanwhile: () => Promise<void>,
): Promise<string> {
  const client = spawn(PROGRAM, [bootstrapServers.join(","), topic], { stdio: ["pipe", "pipe", "ignore"] });
  try {
    const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
    if ((await lines.next()).value !== "ready") throw new Error("the Java client does not start");
    await meanwhile();
    client.stdin.end();
    const { value = "the Java client has ended" } = await lines.next();
    if (!FLAWLESS.test(value)) throw new Error(value);
    return value;
  } finally {
    client.kill("SIGKILL");
  }
}
