#!/usr/bin/env bash
# Three brokers in processes of their own on one directory, with the API server of Kubernetes itself: election, take-over
# from brokers that are killed (measured), hand-over of brokers that are asked to stop, an API server that is away for a
# minute under load, and brokers that stand still for longer than every timeout; a rolling restart under an idempotent Java
# producer and a consumer group, two processes of one pod's name, a controller that loses its Lease while it lives, clocks that
# jump by an hour, partitions that move between volumes, an operator that is killed under load.
# Runs alone: it measures take-overs and pauses.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin cluster
need go "Go 1.26 or newer, to build Kubernetes"
need java "a JDK, 17 or newer"
need javac "a JDK, 17 or newer"
need mvn "Apache Maven"
trap '"$ROOT/node_modules/.bin/tsx" "$TEST_HOME/kubernetes/main.ts" stop "$TMP/control-plane" >/dev/null 2>&1; suite_cleanup' EXIT
fetch kubernetes "$TEST_HOME/kubernetes/build.sh" >"$TMP/build-kubernetes.log" 2>&1 || { tail -n 20 "$TMP/build-kubernetes.log"; not_ok "Kubernetes cannot be built"; suite_end; }
run_client cluster 1100 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/cluster/main.ts" "$TMP/control-plane"
suite_end
