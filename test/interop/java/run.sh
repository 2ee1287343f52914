#!/usr/bin/env bash
# The Java client of Apache Kafka, KAFKA_VERSION (4.4.0 or 3.7.2): run.sh check|leave|verify HOST:PORT …, see Main.java.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../../apache-kafka/lib.sh"
kafka_install
classes=$KAFKA_CACHE/interop
kafka_compile "$classes" "$HERE"/src/*.java
exec "$KAFKA_JAVA" -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData ${ONLY:+"-Donly=$ONLY"} \
  "${KAFKA_LOGCONF}$KAFKA_HOME/tools-$KAFKA_LOGEXT" -cp "$classes:$(<"$KAFKA_CACHE/classpath")" Main "$@"
