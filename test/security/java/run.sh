#!/usr/bin/env bash
# The Java client of Apache Kafka, KAFKA_VERSION (4.4.0 or 3.7.2): run.sh PLAINTEXT SASL_SSL SSL SASL_PLAINTEXT DIR, see
# Security.java.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../../apache-kafka/lib.sh"
kafka_program Security "$HERE/Security.java" "$@"
