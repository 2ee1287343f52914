#!/usr/bin/env bash
# The same requests, byte for byte, to kaas and to Apache Kafka 4.4.0, every served API in every version, good and bad:
# the answers are held beside each other field by field. What differs on purpose is listed with its reason in
# test/differential/known-differences.ts; anything else that differs fails, and so does an entry that no longer does.
# Then kaasctl asks both what it can ask brokers, who hold the same: it has to tell the same of them.
# ONLY="produce,fetch" runs some scenarios (the list's unused entries are not looked for then).
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
KAAS_TEST_BROKER=kaas
suite_begin differential
need java "a JDK, 17 or newer"
need mvn "Apache Maven"
need node "Node.js"
export KAFKA_FAST=1 KAFKA_VERSION=4.4.0

# What the launcher of Apache Kafka sets, so that the descriptions of both brokers can be the same.
alike=(num.partitions=1 default.replication.factor=1 min.insync.replicas=1 offsets.topic.replication.factor=1
  transaction.state.log.replication.factor=1 transaction.state.log.min.isr=1
  share.coordinator.state.topic.replication.factor=1 share.coordinator.state.topic.min.isr=1
  group.initial.rebalance.delay.ms=0 group.consumer.min.heartbeat.interval.ms=100
  group.consumer.min.session.timeout.ms=1000 group.min.session.timeout.ms=1000)
# Records have times of long ago, which retention must not find.
both=(log.retention.check.interval.ms=86400000 log.initial.task.delay.ms=86400000 log.cleaner.backoff.ms=100)
strict=(auto.create.topics.enable=false delete.topic.enable=false num.partitions=3 message.max.bytes=20000
  log.message.timestamp.type=LogAppendTime log.cleanup.policy=compact group.max.size=2 offset.metadata.max.bytes=10
  group.min.session.timeout.ms=2000 group.max.session.timeout.ms=30000)

# Everybody may do everything until the first ACLs are there, which leave that to 127.0.0.1.
acl=(authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer allow.everyone.if.no.acl.found=true)

ports=()
for kind in "kafka" "kafka ${strict[*]}" "kafka ${acl[*]}" \
  "kaas ${alike[*]}" "kaas ${alike[*]} ${strict[*]}" "kaas ${alike[*]} ${acl[*]}"; do
  read -r KAAS_TEST_BROKER properties <<<"$kind"
  # shellcheck disable=SC2086
  broker_start "${both[@]}" $properties
  ports+=("$BROKER_PORT")
done
KAAS_TEST_BROKER=kaas
IFS=, read -ra only <<<"${ONLY:-}"
run_client differential 1200 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/differential/main.ts" \
  "${ports[3]}" "${ports[0]}" "${ports[4]}" "${ports[1]}" "${ports[5]}" "${ports[2]}" "${only[@]}"
awk '/^(ok|FAIL|#)/ { failed = /^FAIL/ } failed' "$TMP/client.out" # each failure with what differed
run_client kaasctl 240 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/kaasctl/main.ts" \
  "${ports[3]}" "${ports[0]}" "${ports[5]}" "${ports[2]}"
suite_end
