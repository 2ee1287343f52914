import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("java/run.sh", import.meta.url));

/** Who asks, and whom first. */
export interface Login {
  readonly bootstrapServers: string;
  /** As the Secret of a user has it; or `PEM` and the file with key and certificate. */
  readonly jaasConfig: string;
}

/** The Java client of Apache Kafka in a process of its own. Every command connects anew. */
export class JavaClient {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(authorityFile: string) {
    this.#child = spawn(PROGRAM, [authorityFile], { stdio: ["pipe", "pipe", "inherit"] });
    const { stdin, stdout } = this.#child;
    if (stdin === null || stdout === null) throw new Error("the Java client has no input or output");
    stdin.on("error", () => undefined); // that it has ended is told to whoever asks
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /** What came of a command of UserClient.java; rejects with what the client threw. */
  async ask(command: string, { bootstrapServers, jaasConfig }: Login, ...words: (string | number)[]): Promise<string> {
    this.#child.stdin?.write(`${[command, bootstrapServers, jaasConfig, ...words].join("\t")}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error("the Java client has ended");
    const [verdict = "", text = ""] = value.split("\t");
    if (verdict !== "ok") throw new Error(text);
    return text;
  }

  /** Resolves when a command was refused as it should be. */
  async refused(wanted: RegExp, command: string, login: Login, ...words: (string | number)[]): Promise<void> {
    const outcome = await this.ask(command, login, ...words).then(
      (text) => `it was done: ${text}`,
      (error: unknown) => (error as Error).message,
    );
    if (!wanted.test(outcome))
      throw new Error(`${command} ${words.join(" ")} should be refused with ${wanted}, but ${outcome}`);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin?.end();
    await ended;
  }
}
