#!/usr/bin/env bash
# Segments are Apache Kafka's: what kaas wrote, linked under Kafka's names, is read by Kafka's own DumpLogSegments and
# held record by record beside what was appended; what a Kafka broker wrote is appended to kaas and served byte for byte.
KAAS_TEST_BROKER=kaas
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin dump-log
need java "a JDK, 17 or newer"
need mvn "Apache Maven"
need node "Node.js"
export KAFKA_FAST=1 KAFKA_VERSION=4.4.0

# Records have times of long ago, which retention must not find.
KAAS_TEST_BROKER=kafka
broker_start log.retention.check.interval.ms=86400000
kafka=("$BROKER_PORT" "$BROKER_DIR/data")
KAAS_TEST_BROKER=kaas
broker_start log.retention.check.interval.ms=86400000
run_client dump-log 80 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/dump-log/main.ts" \
  "$TEST_HOME/apache-kafka/tool.sh" "$TMP" "${kafka[@]}" "$BROKER_PORT"
suite_end
