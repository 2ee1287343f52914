#!/usr/bin/env bash
# The Java client of Apache Kafka, KAFKA_VERSION (4.4.0 or 3.7.2): run.sh PLAINTEXT SASL_SSL SSL SASL_PLAINTEXT DIR, see
# Security.java.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../../apache-kafka/lib.sh"
kafka_install
classes=$KAFKA_CACHE/security
stamp=$(sha256sum <"$HERE/Security.java")
if [[ $(cat "$classes.stamp" 2>/dev/null) != "$stamp" ]]; then
  rm -rf "$classes"
  javac -nowarn -Xlint:none -d "$classes" -cp "$(<"$KAFKA_CACHE/classpath")" "$HERE/Security.java"
  echo "$stamp" >"$classes.stamp"
fi
exec "$KAFKA_JAVA" -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData \
  "${KAFKA_LOGCONF}$KAFKA_HOME/tools-$KAFKA_LOGEXT" -cp "$classes:$(<"$KAFKA_CACHE/classpath")" Security "$@"
