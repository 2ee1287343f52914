#!/usr/bin/env node
import { kubectlOnPath } from "./kubectl/kubectl-process.js";
import { runKubectlKaas } from "./kubectl/run-kubectl-kaas.js";
import { processSurroundings } from "./process-surroundings.js";

process.exitCode = await runKubectlKaas(process.argv.slice(2), processSurroundings(), kubectlOnPath);
