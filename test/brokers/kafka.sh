#!/usr/bin/env bash
# Apache Kafka as one KRaft node (broker and controller) on 127.0.0.1: the same commands as kaas.sh.
#   kafka.sh start PORT DIR [KEY=VALUE…] | stop PORT DIR | kill PORT DIR | pid PORT DIR
# KEY=VALUE are broker properties, kept for later starts. KAFKA_BROKER_OPTS: more JVM options. KAFKA_FAST=1: C1 only
# and serial GC, a quicker start, not for benchmarks. KAFKA_NODE_ID (default 1). KAFKA_TEMPLATE=DIR keeps a formatted
# data folder to copy from, which saves half the time of a fresh start.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../lib/process.sh"
source "$HERE/../lib/free-port.sh"
source "$HERE/../apache-kafka/lib.sh"
[[ $# -ge 3 && $2 =~ ^[0-9]+$ ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
command=$1 port=$2 dir=$3
shift 3

write_properties() {
  local id=${KAFKA_NODE_ID:-1} controller
  controller=$(free_port)
  cat <<PROPERTIES
process.roles=broker,controller
node.id=$id
controller.quorum.voters=$id@127.0.0.1:$controller
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs=$dir/data
num.partitions=1
default.replication.factor=1
min.insync.replicas=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.consumer.min.heartbeat.interval.ms=100
group.consumer.min.session.timeout.ms=1000
group.min.session.timeout.ms=1000
PROPERTIES
  if [[ -e $dir/extra.properties ]]; then cat "$dir/extra.properties"; fi
}

format() { # DIR: DIR/server.properties says the rest
  local id archive=()
  id=$(head -c 16 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=' | sed 's/^-/A/')
  [[ -e $KAFKA_CACHE/tools.jsa ]] && archive=(-Xshare:auto "-XX:SharedArchiveFile=$KAFKA_CACHE/tools.jsa" -Xlog:disable)
  "$KAFKA_JAVA" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData "${archive[@]}" \
    -cp "$(<"$KAFKA_CACHE/classpath")" "${KAFKA_LOGCONF}$KAFKA_HOME/tools-$KAFKA_LOGEXT" \
    kafka.tools.StorageTool format -t "$id" -c "$1/server.properties" --ignore-formatted >"$1/format.log" 2>&1 ||
    { cat "$1/format.log" >&2; kafka_die "format failed"; }
}

start() {
  local opts pid i began
  kafka_install
  mkdir -p "$dir"
  for property in "$@"; do printf '%s\n' "$property" >>"$dir/extra.properties"; done
  write_properties >"$dir/server.properties"
  if [[ ! -e $dir/data/meta.properties ]]; then
    if [[ -n ${KAFKA_TEMPLATE:-} && -e $KAFKA_TEMPLATE/meta.properties ]]; then
      cp -r "$KAFKA_TEMPLATE" "$dir/data"
    else
      format "$dir"
      if [[ -n ${KAFKA_TEMPLATE:-} ]]; then cp -r "$dir/data" "$KAFKA_TEMPLATE"; fi
    fi
  fi
  if [[ ${KAFKA_FAST:-} == 1 ]]; then
    opts=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xms128m)
  else # as kafka-server-start.sh does
    opts=(-server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35
      -XX:+ExplicitGCInvokesConcurrent -Xms1g)
  fi
  [[ -e $KAFKA_CACHE/broker.jsa ]] &&
    opts+=(-Xshare:auto "-XX:SharedArchiveFile=$KAFKA_CACHE/broker.jsa" -Xlog:cds=off -Xlog:cds+dynamic=off)
  : >"$dir/server.log"
  began=$EPOCHREALTIME
  # shellcheck disable=SC2086
  setsid nohup "$KAFKA_JAVA" -Xmx1g "${opts[@]}" -XX:-UsePerfData -Djava.awt.headless=true ${KAFKA_BROKER_OPTS:-} \
    "${KAFKA_LOGCONF}$KAFKA_HOME/broker-$KAFKA_LOGEXT" "-Dkafka.logs.dir=$dir" -cp "$(<"$KAFKA_CACHE/classpath")" \
    kafka.Kafka "$dir/server.properties" </dev/null >"$dir/server.log" 2>&1 &
  pid=$!
  echo "$pid" >"$dir/broker.pid"
  for ((i = 3600; i > 0; i--)); do
    grep -q 'Kafka Server started' "$dir/server.log" && break
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
  done
  await_ready "$port" "$dir" "$pid" "$began"
  echo "$pid"
}

case $command in
  pid) running_pid "$dir" ;;
  stop) end_broker "$dir" TERM ;;
  kill) end_broker "$dir" KILL ;;
  start) start "$@" ;;
  *) echo "no command $command" >&2; exit 2 ;;
esac
