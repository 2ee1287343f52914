#!/usr/bin/env bash
# Unmodified clients against the broker: each does its checks and leaves records; then the broker is killed (SIGKILL)
# and started again, and each client reads what all the others left.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin interop
need java "a JDK, 17 or newer"
need javac "a JDK, 17 or newer"
need mvn "Apache Maven"
need go "Go 1.26 or newer"
need python3 "Python 3.9 or newer, with venv"
need jq "jq"
command -v kcat >/dev/null || [[ ${CI:-} != true ]] || apt_install kcat >"$TMP/apt.log" 2>&1
need kcat "kcat (apt-get install kcat)"

clients=(java44 java37 python kcat franz sarama kafkajs platformatic)
client() { # NAME MODE ARGS…
  local interop=$TEST_HOME/interop name=$1 mode=$2
  shift 2
  case $name in
    java44) set -- "$interop/java/run.sh" "$mode" "$BOOTSTRAP" "$@" ;;
    java37) set -- env KAFKA_VERSION=3.7.2 "$interop/java/run.sh" "$mode" "$BOOTSTRAP" "$@" ;;
    python | kcat) set -- "$interop/$name/run.sh" "$mode" "$BOOTSTRAP" "$@" ;;
    franz | sarama) set -- "$interop/go/run.sh" "$name" "$mode" "$BOOTSTRAP" "$@" ;;
    kafkajs | platformatic) set -- "$interop/js/run.sh" "$name" "$mode" "$BOOTSTRAP" "$@" ;;
  esac
  run_client "$name" 600 "$@"
}

broker_start group.initial.rebalance.delay.ms=0 group.min.session.timeout.ms=1000
left=()
for name in "${clients[@]}"; do
  [[ $name =~ ${ONLY_CLIENT:-.} ]] || continue
  client "$name" check
  client "$name" leave "$name"
  left+=("$name=$([[ $name == platformatic ]] && echo 100 || echo 125)")
done
broker_kill
broker_restart
for name in "${clients[@]}"; do
  [[ $name =~ ${ONLY_CLIENT:-.} ]] || continue
  client "$name" verify "${left[@]}"
done
suite_end
