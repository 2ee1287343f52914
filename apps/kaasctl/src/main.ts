#!/usr/bin/env node
import { runKaasctl } from "./run.js";

process.exitCode = await runKaasctl(process.argv.slice(2), { out: (text) => process.stdout.write(text) });
