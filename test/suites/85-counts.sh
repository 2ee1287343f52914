#!/usr/bin/env bash
# What a request costs a broker in system calls, fsyncs, allocations and garbage collections, held beside committed
# ceilings (test/counts/ceilings.json). Counts, not times: they are the same on a slow machine.
# Runs alone: a machine that is busy has reads wait for the thread pool, which costs memory.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin counts
run_client counts 600 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/counts/process-counts.ts"
suite_end
