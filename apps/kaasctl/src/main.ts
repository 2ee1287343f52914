#!/usr/bin/env node
import { randomInt, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { WriteStream } from "node:tty";
import { runKaasctl } from "./run.js";
import type { TextSink } from "./surroundings.js";

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

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
const args = process.argv.slice(2);
// `completion bash` and `completion zsh` say for which shell; yargs goes by the shell of the user.
if (args[0] === "completion" && (args[1] === "bash" || args[1] === "zsh")) process.env["SHELL"] = args.splice(1, 1)[0];

process.exitCode = await runKaasctl(args, {
  version: manifest.version,
  environment: process.env,
  out: sinkOf(process.stdout),
  err: sinkOf(process.stderr),
  random: {
    uuid: () => Buffer.from(randomUUID().replaceAll("-", ""), "hex").toString("base64url"),
    integer: (limit) => randomInt(limit),
  },
  monotonic: () => performance.now(),
});
