#!/usr/bin/env node
import { run } from "./process/run.js";

await run();
