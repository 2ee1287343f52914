#!/usr/bin/env bash
# That the benchmark runs and prints its table, with counts far too small to say anything.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin bench-smoke
need java "a JDK, 17 or newer"
need mvn "Apache Maven"
export BENCH_DIR=$TMP SCALE=0.004 BROKERS=kaas
check "the benchmark runs" timeout 240 "$ROOT/node_modules/.bin/tsx" "$ROOT/bench/main.ts"
cp "$TMP/check.out" "$TMP/bench.out"
check "its table has all scenarios" bash -c '(($(grep -c "records/s" "$0") == 8))' "$TMP/bench.out"
check "its table has the start and the idle memory" grep -q 'idle, 100 partitions' "$TMP/bench.out"
grep '^|' "$TMP/bench.out"
suite_end
