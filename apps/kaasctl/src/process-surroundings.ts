import { randomInt, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { WriteStream } from "node:tty";
import type { Surroundings, TextSink } from "./surroundings.js";

/** This process, as what a command knows of. */
export function processSurroundings(): Surroundings {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return {
    version: manifest.version,
    environment: process.env,
    out: sinkOf(process.stdout),
    err: sinkOf(process.stderr),
    random: {
      uuid: () => Buffer.from(randomUUID().replaceAll("-", ""), "hex").toString("base64url"),
      integer: (limit) => randomInt(limit),
    },
    now: () => Date.now(),
    pause: (ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      }),
    monotonic: () => performance.now(),
  };
}

/** Standard output or error. A reader that goes away, as `head` does, ends the writing and not the command. */
function sinkOf(stream: WriteStream): TextSink {
  let isClosed = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    isClosed = true;
  });
  return {
    isTerminal: Boolean(stream.isTTY),
    columns: stream.columns,
    get isClosed() {
      return isClosed;
    },
    write: (text) =>
      new Promise((resolve) => {
        if (isClosed) resolve();
        else stream.write(text, () => resolve());
      }),
  };
}
