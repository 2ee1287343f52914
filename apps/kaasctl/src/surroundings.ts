import type { Random } from "@kaas/core";

/** What a command writes to. */
export interface TextSink {
  readonly isTerminal: boolean;
  /** Width of the terminal in characters; undefined where it is none. */
  readonly columns: number | undefined;
  /** Whether the reader has gone, as after `| head`: there is nobody to write for. */
  readonly isClosed: boolean;
  /** Resolves when more may be written. */
  write(text: string): Promise<void>;
}

/** What a command knows of the process that it runs in. */
export interface Surroundings {
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: TextSink;
  readonly err: TextSink;
  readonly random: Random;
  /** The time of day, in milliseconds since 1970. */
  now(): number;
  /** Lets time pass. */
  pause(ms: number): Promise<void>;
  /** Milliseconds that never go back. */
  monotonic(): number;
}
