#!/usr/bin/env bash
# Apache Kafka's own integration tests (4.3.1), each with a fresh broker outside the test's JVM. What a single Apache
# Kafka node passes must pass, or be named with its reason in kafka-it/not-run.txt or kafka-it/known-BROKER.txt.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin kafka-it
need javac "a JDK, 17 or newer"
need mvn "Apache Maven"
export IT_DIR=$TMP/it IT_TIMEOUT=${IT_TIMEOUT:-'120 s'} KAAS_TEST_BROKER
STARTED+=("$KAAS_TEST_BROKER 1 $IT_DIR")
tests() { "$TEST_HOME/kafka-it/run.sh" "$TEST_HOME/kafka-it/hook.sh" "$@"; }
judge() {
  "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/kafka-it/judge.ts" "$1" "$TEST_HOME/kafka-it/baseline.txt" \
    "$TEST_HOME/kafka-it/not-run.txt" "$TEST_HOME/kafka-it/known-$KAAS_TEST_BROKER.txt"
}
tests "$TMP/log" >"$TMP/rows"
# Some of these tests wait for fixed times, which a busy machine can break: a few that fail are tried once more, alone.
again=$(judge "$TMP/rows" 2>&1 | sed -nE 's/^FAIL +([A-Za-z]+\.[A-Za-z0-9_]+) \[.*: passes on Apache Kafka/\1/p' | sort -u)
if [[ -n $again && $(wc -l <<<"$again") -le 10 ]]; then
  echo "# tried again:" $again
  mapfile -t classes < <(grep -E "[.]($(sed 's/[.].*//' <<<"$again" | sort -u | paste -sd'|'))\$" "$TEST_HOME/kafka-it/classes.txt")
  IT_ONLY="^.*[.]($(sed 's/[.]/[.#]/' <<<"$again" | paste -sd'|'))\$" tests "$TMP/again" "${classes[@]}" >"$TMP/rows-again"
  grep -vE "^(FAIL|abort) +($(paste -sd'|' <<<"$again")) " "$TMP/rows" >"$TMP/rows-both"
  cat "$TMP/rows-again" >>"$TMP/rows-both"
  mv "$TMP/rows-both" "$TMP/rows"
fi
judge "$TMP/rows" >"$TMP/client.out" 2>"$TMP/client.err"
tally it "$TMP/client.out" $?
if ((FAILED > 0)); then
  grep -E 'FAILED$' -A 4 "$TMP/log/log.txt" | cut -c1-240 | tail -n 60 | sed 's/^/        /'
fi
suite_end
