#!/usr/bin/env bash
# That the benchmark runs and prints its table, with counts far too small to say anything.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin bench-smoke
need java "a JDK, 17 or newer"
need mvn "Apache Maven"
# Nothing is measured here: JVMs that start quickly will do.
archive=$CACHE/apache-kafka-4.4.0/tools.jsa
export KAFKA_TOOL_OPTS="-XX:TieredStopAtLevel=1"
[[ ! -e $archive ]] || KAFKA_TOOL_OPTS+=" -Xshare:auto -XX:SharedArchiveFile=$archive -Xlog:disable -Xlog:all=off:stderr"
export BENCH_DIR=$TMP BENCH_RESULTS=$TMP/results SCALE=0.004 BROKERS=kaas
SCENARIOS=$("$ROOT/node_modules/.bin/tsx" "$ROOT/bench/main.ts" --list | wc -l)
check "the benchmark runs" timeout 1000 "$ROOT/node_modules/.bin/tsx" "$ROOT/bench/main.ts" --rounds 1
cp "$TMP/check.out" "$TMP/bench.out"
check "its table has all $SCENARIOS scenarios" bash -c '(($(grep "^| " "$0" | cut -d"|" -f2 | sort -u | wc -l) == $1 + 2))' \
  "$TMP/bench.out" "$SCENARIOS"
check "every figure has been measured" bash -c '! grep -E "^\| [^|]+\|[^|]+\|[^|]+\|  \|" "$0"' "$TMP/bench.out"
check "an unknown name is a usage error" bash -c '"$0" "$1" nonsense >/dev/null; (($? == 2))' "$ROOT/node_modules/.bin/tsx" "$ROOT/bench/main.ts"
check "assignments of a large cluster move as few leaders as will do" "$ROOT/node_modules/.bin/tsx" \
  "$ROOT/packages/kaas-storage/bench/assignments.ts" --directory "$TMP" --rounds 3
cat "$TMP/check.out"
grep '^|' "$TMP/bench.out"
suite_end
