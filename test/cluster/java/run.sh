#!/usr/bin/env bash
# The Java client of Apache Kafka, producing and consuming until its input ends: run.sh BOOTSTRAP TOPIC, see
# RollingClient.java.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../../apache-kafka/lib.sh"
kafka_program RollingClient "$HERE/RollingClient.java" "$@"
