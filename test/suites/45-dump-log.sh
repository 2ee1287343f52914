#!/usr/bin/env bash
# Segments are Apache Kafka's: what kaas wrote, under Kafka's names, is read by Kafka's own DumpLogSegments and by the
# record classes of kafka-clients, and held record by record beside what was appended; what a Kafka broker and its Java
# producer wrote is appended to kaas, or put in place as an epoch's segments, and served byte for byte.
KAAS_TEST_BROKER=kaas
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin dump-log
need java "a JDK, 17 or newer"
need mvn "Apache Maven"
need node "Node.js"
export KAFKA_FAST=1 KAFKA_VERSION=4.4.0
HERE=$TEST_HOME/dump-log
source "$TEST_HOME/apache-kafka/lib.sh"
kafka_install || { not_ok "Apache Kafka's jars can be had"; suite_end; }
tsx() { "$ROOT/node_modules/.bin/tsx" "$@"; }
class() { # NAME ARGS…
  local name=$1
  shift
  java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData "${KAFKA_LOGCONF}$KAFKA_HOME/tools-$KAFKA_LOGEXT" \
    -cp "$(<"$KAFKA_CACHE/classpath")" "$HERE/java/$name.java" "$@"
}
dump() { "$KAFKA_HOME/tool.sh" kafka-dump-log --files "$(printf '%s\n' "$@" | paste -sd,)" "${options[@]}"; }

ours=$TMP/ours
mkdir "$ours"
check "logs of every kind are written" tsx "$HERE/write-logs.ts" "$ours"

# What FileRecords says of each batch and record, in the words of our own reader.
reads() { class Segments "$ours/$1"/*.log >"$TMP/read" && [[ -s $TMP/read ]] && diff "$TMP/read" "$ours/$1/expected" | cut -c1-300; return "${PIPESTATUS[0]}"; }
dumps() { # KIND EXTENSION…
  local kind=$1 files=() extension
  shift
  for extension in "$@"; do files+=("$ours/$kind"/*."$extension"); done
  dump "${files[@]}" >"$TMP/dump" 2>&1 && tsx "$HERE/judge-dump.ts" <"$TMP/dump"
}
shopt -s nullglob

for kind in $(ls "$ours" | grep -vx -e volume -e killed); do
  count="$(wc -l <"$ours/$kind/expected") batches in $(ls "$ours/$kind"/*.log | wc -l) segments"
  check "kafka-clients reads $kind: $count" reads "$kind"
  options=(--deep-iteration --print-data-log)
  check "kafka-dump-log reads $kind" dumps "$kind" log
  options=()
  check "kafka-dump-log reads the indexes of $kind" dumps "$kind" index timeindex txnindex
done

# Records have times of long ago, which retention must not find.
KAAS_TEST_BROKER=kaas
broker_start log.retention.check.interval.ms=86400000
kaas=$BROKER_PORT
KAAS_TEST_BROKER=kafka
broker_start log.retention.check.interval.ms=86400000
run_client dump-log 600 "$ROOT/node_modules/.bin/tsx" "$HERE/main.ts" "$KAFKA_HOME/tool.sh" "$TMP" \
  "$BROKER_PORT" "$BROKER_DIR/data" "$kaas"
check "Apache Kafka writes logs of every kind" class Produce "$BOOTSTRAP"
broker_stop
KAAS_TEST_BROKER=kaas
run_client serve 600 "$ROOT/node_modules/.bin/tsx" "$HERE/serve-logs.ts" "$BROKER_DIR/data" "$TMP/theirs"
suite_end
