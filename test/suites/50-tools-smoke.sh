#!/usr/bin/env bash
# Apache Kafka's shell tools (4.4.0) against the broker. tools-smoke/not-yet-BROKER.txt names what is not served.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin tools-smoke
need java "a JDK, 17 or newer"
need mvn "Apache Maven"
"$TEST_HOME/apache-kafka/tool.sh" --list >/dev/null
export BROKER_ID=1
acl=(authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer super.users=User:ANONYMOUS)
if [[ $KAAS_TEST_BROKER == kafka ]]; then
  broker_start "${acl[@]}"
  logs=$BROKER_DIR/data
else
  broker_start group.initial.rebalance.delay.ms=0 "${acl[@]}"
fi
run_client tools 900 "$TEST_HOME/tools-smoke/run.sh" "$BOOTSTRAP" "$TEST_HOME/tools-smoke/not-yet-$KAAS_TEST_BROKER.txt" ${logs:-}
suite_end
