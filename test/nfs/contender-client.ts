import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { type Guest, until } from "./guests.js";

const PORT = 7000;
/** A guest whose server is away may be stuck in a call for as long. */
const ANSWER_SECONDS = 120;

/** Tells a contender what to do, one command after the other. */
export class ContenderClient {
  readonly #guest: Guest;
  #socket: Socket | undefined;
  readonly #waiting: ((answer: Readonly<Record<string, unknown>>) => void)[] = [];

  constructor(guest: Guest) {
    this.#guest = guest;
  }

  async connect(): Promise<void> {
    await until(`${this.#guest.name} answers`, 90, async () => {
      const socket = connect(PORT, this.#guest.address);
      const isUp = await new Promise<boolean>((resolve) => {
        socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      });
      if (!isUp) return false;
      socket.on("error", () => socket.destroy());
      createInterface({ input: socket }).on("line", (line) => {
        this.#waiting.shift()?.(JSON.parse(line) as Readonly<Record<string, unknown>>);
      });
      this.#socket = socket;
      return true;
    });
  }

  async ask<Answer>(command: string, argument: unknown = true): Promise<Answer> {
    const answer = await new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
      const late = `${this.#guest.name}, ${command}: no answer within ${ANSWER_SECONDS} s`;
      const timer = setTimeout(() => reject(new Error(late)), ANSWER_SECONDS * 1000);
      this.#waiting.push((told) => {
        clearTimeout(timer);
        resolve(told);
      });
      this.#socket?.write(`${JSON.stringify({ [command]: argument })}\n`);
    });
    if ("error" in answer) throw new Error(`${this.#guest.name}, ${command}: ${String(answer["error"])}`);
    return answer as Answer;
  }

  end(): void {
    this.#socket?.destroy();
  }
}
