# The uses of Apache Kafka's shell tools, in an order in which later ones rely on earlier ones; sourced by run.sh.
# use NAME REGEX COMMAND…: passes if the output has the regex ('': anything) and the exit status is 0.

produce() {
  seq 1 "$1" | sed 's/.*/k&:v&/' |
    tool kafka-console-producer "${bs[@]}" --topic "$T" --reader-property parse.key=true --reader-property key.separator=: &&
    echo sent
}

# It goes on for ever: until it has said what it found.
verify_replicas() {
  timeout 150 "$TOOL" kafka-replica-verification --broker-list "$B" --topics-include "$T" --report-interval-ms 500 >"$OUT/replicas" 2>&1 &
  until grep -m 1 'max lag' "$OUT/replicas" || ! kill -0 $! 2>/dev/null; do sleep 0.2; done
  kill $! 2>/dev/null
  wait $!
  return 0
}

use broker-api-versions 'ApiVersions\(18\)' tool kafka-broker-api-versions "${bs[@]}"
use topics-create "Created topic $T" tool kafka-topics "${bs[@]}" --create --topic "$T" --partitions 3 --replication-factor 1 --config retention.ms=86400000
use topics-create-compact "Created topic c-$T" tool kafka-topics "${bs[@]}" --create --topic "c-$T" --config cleanup.policy=compact
use topics-list "^$T" tool kafka-topics "${bs[@]}" --list
use topics-describe "PartitionCount: 3" tool kafka-topics "${bs[@]}" --describe --topic "$T"
use topics-alter-partitions "PartitionCount: 4" bash -c 'KT=$0; "$KT" kafka-topics --bootstrap-server "$1" --alter --topic "$2" --partitions 4 && "$KT" kafka-topics --bootstrap-server "$1" --describe --topic "$2"' "$TOOL" "$B" "$T"
use console-producer '^sent' produce 100
use console-consumer 'Processed a total of 100' tool kafka-console-consumer "${bs[@]}" --topic "$T" --from-beginning --max-messages 100 --timeout-ms 60000 --group "g-$T"
use console-consumer-848 'Processed a total of 100' tool kafka-console-consumer "${bs[@]}" --topic "$T" --from-beginning --max-messages 100 --timeout-ms 20000 --group "g848-$T" --consumer-property group.protocol=consumer
use get-offsets "^$T:[0-3]:[1-9]" tool kafka-get-offsets "${bs[@]}" --topic "$T"
use get-offsets-earliest "^$T:0:0" tool kafka-get-offsets "${bs[@]}" --topic "$T" --time earliest
use get-offsets-max-timestamp "^$T:0:[0-9]" tool kafka-get-offsets "${bs[@]}" --topic "$T" --time max-timestamp
use groups-list "^g-$T" tool kafka-consumer-groups "${bs[@]}" --list
use groups-describe "g-$T +$T +0" tool kafka-consumer-groups "${bs[@]}" --describe --group "g-$T"
use groups-describe-state "g-$T.*(Empty|Stable)" tool kafka-consumer-groups "${bs[@]}" --describe --group "g-$T" --state
use groups-describe-848 "g848-$T +$T +0" tool kafka-consumer-groups "${bs[@]}" --describe --group "g848-$T"
use groups-reset-offsets "g-$T +$T +0 +0" tool kafka-consumer-groups "${bs[@]}" --reset-offsets --to-earliest --group "g-$T" --topic "$T" --execute
use groups-delete "successful" tool kafka-consumer-groups "${bs[@]}" --delete --group "g-$T"
use kafka-groups "g848-$T" tool kafka-groups "${bs[@]}" --list
use configs-describe-topic 'retention.ms=86400000' tool kafka-configs "${bs[@]}" --describe --entity-type topics --entity-name "$T"
use configs-alter-topic 'Completed updating' tool kafka-configs "${bs[@]}" --alter --entity-type topics --entity-name "$T" --add-config max.message.bytes=2000000
use configs-describe-topic-all 'max.message.bytes=2000000' tool kafka-configs "${bs[@]}" --describe --entity-type topics --entity-name "$T" --all
use configs-describe-broker 'log.retention' tool kafka-configs "${bs[@]}" --describe --entity-type brokers --entity-name "${BROKER_ID:-1}" --all
use configs-alter-quota 'Completed updating' tool kafka-configs "${bs[@]}" --alter --entity-type clients --entity-name "c-$S" --add-config producer_byte_rate=100000000
use configs-describe-quota 'producer_byte_rate=1' tool kafka-configs "${bs[@]}" --describe --entity-type clients --entity-name "c-$S"
use configs-alter-quota-both 'Completed updating' tool kafka-configs "${bs[@]}" --alter --entity-type users --entity-name "u-$S" --entity-type clients --entity-default --add-config 'consumer_byte_rate=100000000,controller_mutation_rate=1000'
use configs-describe-quota-both 'controller_mutation_rate=1000' tool kafka-configs "${bs[@]}" --describe --entity-type users --entity-name "u-$S" --entity-type clients --entity-default
use configs-remove-quota 'Completed updating' tool kafka-configs "${bs[@]}" --alter --entity-type clients --entity-name "c-$S" --delete-config producer_byte_rate
use configs-scram 'Completed updating' tool kafka-configs "${bs[@]}" --alter --entity-type users --entity-name "u-$S" --add-config 'SCRAM-SHA-256=[iterations=4096,password=p]'
use configs-describe-scram 'SCRAM-SHA-256' tool kafka-configs "${bs[@]}" --describe --entity-type users --entity-name "u-$S"
use producer-perf '2000 records sent' tool kafka-producer-perf-test --topic "$T" --num-records 2000 --record-size 100 --throughput -1 --producer-props "bootstrap.servers=$B" acks=all
use producer-perf-txn '2000 records sent' tool kafka-producer-perf-test --topic "$T" --num-records 2000 --record-size 100 --throughput -1 --transactional-id "tx-$S" --transaction-duration-ms 100 --producer-props "bootstrap.servers=$B" acks=all
use consumer-perf 'MB.sec|, [0-9.]+' tool kafka-consumer-perf-test "${bs[@]}" --topic "$T" --messages 2000 --timeout 60000
use e2e-latency 'Percentiles' tool kafka-e2e-latency "$B" "$T-e2e" 200 all 100
use transactions-list "tx-$S" tool kafka-transactions "${bs[@]}" list
use transactions-describe "tx-$S.*CompleteCommit" tool kafka-transactions "${bs[@]}" describe --transactional-id "tx-$S"
use transactions-describe-producers 'ProducerId' tool kafka-transactions "${bs[@]}" describe-producers --topic "$T" --partition 0
use transactions-find-hanging 'Topic|^$|hanging' tool kafka-transactions "${bs[@]}" find-hanging --broker-id "${BROKER_ID:-1}"
echo "{\"version\":1,\"partitions\":[{\"topic\":\"$T\",\"partition\":0,\"offset\":5}]}" >"$OUT/delete.json"
use delete-records 'low_watermark: 5' tool kafka-delete-records "${bs[@]}" --offset-json-file "$OUT/delete.json"
use log-dirs '"logDirs"' tool kafka-log-dirs "${bs[@]}" --describe
use features 'metadata.version|transaction.version' tool kafka-features "${bs[@]}" describe
use cluster-id 'Cluster ID' tool kafka-cluster cluster-id "${bs[@]}"
use cluster-endpoints '127.0.0.1|localhost' tool kafka-cluster list-endpoints "${bs[@]}"
use metadata-quorum 'LeaderId' tool kafka-metadata-quorum "${bs[@]}" describe --status
use metadata-quorum-replication 'NodeId' tool kafka-metadata-quorum "${bs[@]}" describe --replication
use leader-election 'already|Valid replica|Successfully' tool kafka-leader-election "${bs[@]}" --election-type preferred --topic "$T" --partition 0
use reassign-list 'No partition reassignments|ongoing' tool kafka-reassign-partitions "${bs[@]}" --list
echo "{\"topics\":[{\"topic\":\"$T\"}],\"version\":1}" >"$OUT/move.json"
use reassign-generate 'Proposed partition reassignment' tool kafka-reassign-partitions "${bs[@]}" --topics-to-move-json-file "$OUT/move.json" --broker-list "${BROKER_ID:-1}" --generate
use client-metrics-alter 'Altered' tool kafka-client-metrics "${bs[@]}" --alter --name "m-$S" --metrics org.apache.kafka.producer. --interval 30000
use client-metrics-describe "m-$S" tool kafka-client-metrics "${bs[@]}" --describe --name "m-$S"
STATUS=any use delegation-tokens 'not allowed on PLAINTEXT|TOKENID' tool kafka-delegation-tokens "${bs[@]}" --describe --command-config /dev/null
use acls-add 'Adding ACLs|ALLOW' tool kafka-acls "${bs[@]}" --add --allow-principal "User:u-$S" --operation Read --topic "$T" --group '*'
use acls-list "User:u-$S" tool kafka-acls "${bs[@]}" --list --topic "$T"
use acls-prefixed 'PREFIXED' tool kafka-acls "${bs[@]}" --add --deny-principal "User:u-$S" --deny-host 10.0.0.1 --operation All --topic "$T-" --resource-pattern-type prefixed
use acls-match 'PREFIXED' tool kafka-acls "${bs[@]}" --list --topic "$T-x" --resource-pattern-type match
use acls-producer 'WRITE' tool kafka-acls "${bs[@]}" --add --allow-principal "User:u-$S" --producer --topic "$T" --transactional-id "tx-$S"
use acls-cluster 'CLUSTER' tool kafka-acls "${bs[@]}" --add --allow-principal "User:u-$S" --operation IdempotentWrite --cluster
use acls-remove '' tool kafka-acls "${bs[@]}" --remove --allow-principal "User:u-$S" --operation Read --topic "$T" --group '*' --force
use verifiable-producer '"acked":10|tool_data' tool kafka-verifiable-producer "${bs[@]}" --topic "$T" --max-messages 10
use verifiable-consumer 'records_consumed' tool kafka-verifiable-consumer "${bs[@]}" --topic "$T" --group-id "vg-$T" --max-messages 10
use share-groups-earliest 'Completed updating' tool kafka-configs "${bs[@]}" --alter --entity-type groups --entity-name "sg-$T" --add-config share.auto.offset.reset=earliest
use console-share-consumer 'Processed a total of 10' tool kafka-console-share-consumer "${bs[@]}" --topic "$T" --group "sg-$T" --max-messages 10 --timeout-ms 20000
use share-groups-list "sg-$T" tool kafka-share-groups "${bs[@]}" --list
use share-groups-describe "sg-$T +$T +0" tool kafka-share-groups "${bs[@]}" --describe --group "sg-$T"
use share-groups-reset "sg-$T +$T" tool kafka-share-groups "${bs[@]}" --reset-offsets --to-earliest --group "sg-$T" --topic "$T" --execute
use share-consumer-perf 'MB.sec|, [0-9.]+' tool kafka-share-consumer-perf-test "${bs[@]}" --topic "$T" --messages 500 --timeout 20000 --group "sg-$T"
use verifiable-share-consumer 'records_consumed' tool kafka-verifiable-share-consumer "${bs[@]}" --topic "$T" --group-id "sg2-$T" --max-messages 5 --offset-reset-strategy earliest
use streams-groups-list '' tool kafka-streams-groups "${bs[@]}" --list
use replica-verification 'max lag' verify_replicas
use topics-delete '' tool kafka-topics "${bs[@]}" --delete --topic "c-$T"
if [[ -n $LOG_FOLDER ]]; then
  use dump-log 'baseOffset|lastOffset' bash -c '"$0" kafka-dump-log --print-data-log --files "$(ls "$1/$2-0"/*.log | head -1)"' "$TOOL" "$LOG_FOLDER" "$T"
  use dump-log-metadata 'REGISTER_BROKER_RECORD' bash -c '"$0" kafka-dump-log --cluster-metadata-decoder --files "$(ls "$1"/__cluster_metadata-0/*.log | head -1)"' "$TOOL" "$LOG_FOLDER"
fi
