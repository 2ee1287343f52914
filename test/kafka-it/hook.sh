#!/usr/bin/env bash
# What ExternalCluster calls: one fresh broker for each test, whatever number is asked.
#   hook.sh start PROPERTIES BROKERS | stop | kill ID | revive ID
# KAAS_TEST_BROKER (kaas or kafka), IT_DIR (its folder). Each broker gets a port of its own: that of the one killed just
# before may still be held for a moment.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../lib/free-port.sh"
export KAFKA_FAST=1 KAFKA_NODE_ID=0 KAFKA_TEMPLATE=$IT_DIR-template # as node.id below: the tests' first broker
port=$(cat "$IT_DIR/port" 2>/dev/null || echo 1)
broker=("$HERE/../brokers/${KAAS_TEST_BROKER:-kaas}.sh")
case $1 in
  start)
    "${broker[@]}" kill "$port" "$IT_DIR" 2>/dev/null || true
    rm -rf "$IT_DIR"
    mkdir -p "$IT_DIR"
    port=$(free_port)
    echo "$port" >"$IT_DIR/port"
    # The tests' own properties, less those that one broker cannot follow, and one test's key that is a sentence
    mapfile -t properties < <(grep -vE '^#|^[^=]*\\ |replication.factor|min.isr|^(listeners|advertised|controller|process.roles|node.id|broker.id|log.dir)' "$2" |
      sed 's/\\:/:/g; s/\\=/=/g')
    "${broker[@]}" start "$port" "$IT_DIR" node.id=0 group.initial.rebalance.delay.ms=0 "${properties[@]}" >/dev/null
    echo "127.0.0.1:$port" ;;
  stop) "${broker[@]}" kill "$port" "$IT_DIR" ;;
  kill) "${broker[@]}" stop "$port" "$IT_DIR" ;;
  revive) "${broker[@]}" start "$port" "$IT_DIR" >/dev/null ;;
  *) echo "no $1 here" >&2; exit 1 ;;
esac
