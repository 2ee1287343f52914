#!/usr/bin/env bash
# Apache Kafka's own integration tests (4.3.1), each with a fresh broker outside the test's JVM. What a single Apache
# Kafka node passes must pass, or be named with its reason in kafka-it/not-run.txt or kafka-it/known-BROKER.txt.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin kafka-it
need javac "a JDK, 17 or newer"
need mvn "Apache Maven"
export IT_DIR=$TMP/it IT_TIMEOUT=${IT_TIMEOUT:-'45 s'} KAAS_TEST_BROKER
STARTED+=("$KAAS_TEST_BROKER 1 $IT_DIR")
"$TEST_HOME/kafka-it/run.sh" "$TEST_HOME/kafka-it/hook.sh" "$TMP/log" >"$TMP/rows"
run_client it 60 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/kafka-it/judge.ts" "$TMP/rows" \
  "$TEST_HOME/kafka-it/baseline.txt" "$TEST_HOME/kafka-it/not-run.txt" "$TEST_HOME/kafka-it/known-$KAAS_TEST_BROKER.txt"
if ((FAILED > 0)); then
  grep -E 'FAILED$' -A 4 "$TMP/log/log.txt" | cut -c1-240 | tail -n 60 | sed 's/^/        /'
fi
suite_end
