#!/usr/bin/env node
import { processSurroundings } from "./process-surroundings.js";
import { runKaasctl } from "./run.js";

const args = process.argv.slice(2);
// `completion bash` and `completion zsh` say for which shell; yargs goes by the shell of the user.
if (args[0] === "completion" && (args[1] === "bash" || args[1] === "zsh")) process.env["SHELL"] = args.splice(1, 1)[0];

process.exitCode = await runKaasctl(args, processSurroundings());
