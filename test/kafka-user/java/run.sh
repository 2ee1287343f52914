#!/usr/bin/env bash
# The Java client of Apache Kafka, which does what it is told by lines: run.sh CA, see UserClient.java.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../../apache-kafka/lib.sh"
kafka_program UserClient "$HERE/UserClient.java" "$@"
