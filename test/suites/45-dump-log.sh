#!/usr/bin/env bash
# Segments by others: what kaas writes is read by Apache Kafka's kafka-dump-log and by the record classes of
# kafka-clients, line by line as expected; what Apache Kafka (4.4.0) writes is served byte for byte.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
KAAS_TEST_BROKER=jars
suite_begin dump-log
need java "a JDK, 17 or newer"
need mvn "Apache Maven"
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
  dump "${files[@]}" >"$TMP/dump" 2>&1 && tsx "$HERE/judge-dump.ts" "$ours/$kind" <"$TMP/dump"
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

KAAS_TEST_BROKER=kafka KAFKA_FAST=1
export KAFKA_FAST
broker_start log.retention.check.interval.ms=86400000
check "Apache Kafka writes logs of every kind" class Produce "$BOOTSTRAP"
broker_stop
KAAS_TEST_BROKER=jars
run_client serve 120 "$ROOT/node_modules/.bin/tsx" "$HERE/serve-logs.ts" "$BROKER_DIR/data" "$TMP/theirs"
suite_end
