#!/usr/bin/env bash
# Apache Kafka's shell tools without its distribution: tool.sh NAME ARGS…, as NAME.sh ARGS… there; --list names them.
# tool.sh --class org.example.Main ARGS… runs any class of the classpath; CLASSPATH_PREFIX goes before it.
# KAFKA_VERSION (see lib.sh), KAFKA_TOOL_HEAP (default 256m, 512m for the perf tools), KAFKA_TOOL_OPTS (more JVM
# options). The perf and verifiable tools run with the full JIT and G1, the rest with what starts quickest.
set -euo pipefail
source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/lib.sh"

T=org.apache.kafka.tools
# Newer class first, then where 3.x has it.
declare -A TOOLS=(
  [kafka-acls]="$T.AclCommand kafka.admin.AclCommand"
  [kafka-broker-api-versions]="$T.BrokerApiVersionsCommand kafka.admin.BrokerApiVersionsCommand"
  [kafka-client-metrics]="$T.ClientMetricsCommand"
  [kafka-cluster]="$T.ClusterTool kafka.tools.ClusterTool"
  [kafka-configs]="$T.ConfigCommand kafka.admin.ConfigCommand"
  [kafka-console-consumer]="$T.consumer.ConsoleConsumer kafka.tools.ConsoleConsumer"
  [kafka-console-producer]="$T.ConsoleProducer kafka.tools.ConsoleProducer"
  [kafka-console-share-consumer]="$T.consumer.ConsoleShareConsumer"
  [kafka-consumer-groups]="$T.consumer.group.ConsumerGroupCommand kafka.admin.ConsumerGroupCommand"
  [kafka-consumer-perf-test]="$T.ConsumerPerformance"
  [kafka-delegation-tokens]="$T.DelegationTokenCommand"
  [kafka-delete-records]="$T.DeleteRecordsCommand"
  [kafka-dump-log]="$T.DumpLogSegments kafka.tools.DumpLogSegments"
  [kafka-e2e-latency]="$T.EndToEndLatency kafka.tools.EndToEndLatency"
  [kafka-features]="$T.FeatureCommand kafka.admin.FeatureCommand"
  [kafka-get-offsets]="$T.GetOffsetShell"
  [kafka-groups]="$T.GroupsCommand"
  [kafka-leader-election]="$T.LeaderElectionCommand"
  [kafka-log-dirs]="$T.LogDirsCommand"
  [kafka-metadata-quorum]="$T.MetadataQuorumCommand"
  [kafka-producer-perf-test]="$T.ProducerPerformance"
  [kafka-reassign-partitions]="$T.reassign.ReassignPartitionsCommand"
  [kafka-replica-verification]="$T.ReplicaVerificationTool"
  [kafka-share-consumer-perf-test]="$T.ShareConsumerPerformance"
  [kafka-share-groups]="$T.consumer.group.ShareGroupCommand"
  [kafka-storage]="kafka.tools.StorageTool"
  [kafka-streams-application-reset]="$T.StreamsResetter kafka.tools.StreamsResetter"
  [kafka-streams-groups]="$T.streams.StreamsGroupCommand"
  [kafka-topics]="$T.TopicCommand"
  [kafka-transactions]="$T.TransactionsCommand"
  [kafka-verifiable-consumer]="$T.VerifiableConsumer"
  [kafka-verifiable-producer]="$T.VerifiableProducer"
  [kafka-verifiable-share-consumer]="$T.VerifiableShareConsumer"
)

name=${1:-}
[[ -n $name ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
shift
name=${name%.sh}
if [[ $name == --list ]]; then printf '%s\n' "${!TOOLS[@]}" | sort; exit 0; fi
kafka_install
if [[ $name == --class ]]; then
  class=$1
  shift
else
  [[ -n ${TOOLS[$name]:-} ]] || kafka_die "no tool $name, see --list"
  # shellcheck disable=SC2086
  class=$(kafka_class ${TOOLS[$name]}) || kafka_die "$name is not in Kafka $KAFKA_VERSION"
fi

opts=(-XX:-UsePerfData -Djava.awt.headless=true)
case $name in
  *perf-test | *e2e-latency | *verifiable* | --class)
    opts+=("-Xmx${KAFKA_TOOL_HEAP:-512m}" -server -XX:+UseG1GC -XX:MaxGCPauseMillis=20
      -XX:InitiatingHeapOccupancyPercent=35 -XX:+ExplicitGCInvokesConcurrent) ;;
  *)
    opts+=("-Xmx${KAFKA_TOOL_HEAP:-256m}" -XX:+UseSerialGC -XX:TieredStopAtLevel=1)
    [[ -e $KAFKA_CACHE/tools.jsa && -z ${CLASSPATH_PREFIX:-} ]] &&
      opts+=(-Xshare:auto "-XX:SharedArchiveFile=$KAFKA_CACHE/tools.jsa" -Xlog:disable -Xlog:all=off:stderr) ;;
esac
# shellcheck disable=SC2086
exec "$KAFKA_JAVA" "${opts[@]}" ${KAFKA_TOOL_OPTS:-} "${KAFKA_LOGCONF}$KAFKA_HOME/tools-$KAFKA_LOGEXT" \
  -cp "${CLASSPATH_PREFIX:+$CLASSPATH_PREFIX:}$(<"$KAFKA_CACHE/classpath")" "$class" "$@"
