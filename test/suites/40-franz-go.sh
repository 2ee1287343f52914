#!/usr/bin/env bash
# franz-go's own tests (v1.22.3, pkg/kgo), unmodified, against the broker. Apache Kafka 4.4.0: 152 passed, 4 skipped.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin franz-go
need go "Go 1.26 or newer"
broker_start group.initial.rebalance.delay.ms=0
run_client kgo 1000 "$TEST_HOME/franz-go/run.sh" "$BOOTSTRAP" "$TEST_HOME/franz-go/not-run-$KAAS_TEST_BROKER.txt"
suite_end
