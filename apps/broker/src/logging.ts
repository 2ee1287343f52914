import { type DestinationStream, pino, stdTimeFunctions } from "pino";
import type { Log } from "@kaas/core";

/** Levels that can be chosen, the most talkative first. */
export const LOG_LEVELS: readonly string[] = ["trace", "debug", "info", "warn", "error", "fatal"];

/** Lines for people in a terminal, one JSON object a line for programs otherwise. Lines are written at once. */
export async function createLog(level: string, isTerminal: boolean, descriptor: number): Promise<Log> {
  const log: Log = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    isTerminal ? await prettyStream(descriptor) : pino.destination({ fd: descriptor, sync: true }),
  );
  return log;
}

/** Loaded only where someone reads along. */
async function prettyStream(descriptor: number): Promise<DestinationStream> {
  const { default: pretty } = await import("pino-pretty");
  return pretty({
    destination: descriptor,
    sync: true,
    singleLine: true,
    translateTime: "SYS:yyyy-mm-dd HH:MM:ss.l",
    // What the lines of start and stop say in words as well.
    ignore: "listeners,dataDirectory,clusterId,mode,version,signal",
  });
}
