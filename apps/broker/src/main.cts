#!/usr/bin/env node
// CommonJS, because libuv reads the size of its thread pool when the pool is first used, and Node's loader of ES
// modules uses it before their code runs. Each fsync in flight holds a thread, and busy partitions have many.
process.env.UV_THREADPOOL_SIZE ??= "16";

void import("./run.js").then(({ run }) => run(process.argv.slice(2)));
