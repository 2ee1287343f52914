#!/usr/bin/env bash
# Three brokers in processes of their own on one directory, with the API server of Kubernetes itself: election, take-over
# from brokers that are killed (measured), hand-over of brokers that are asked to stop, an API server that is away for a
# minute under load, and brokers that stand still for longer than every timeout; a rolling restart under an idempotent Java
# producer and a consumer group, two processes of one pod's name, a controller that loses its Lease while it lives, clocks that
# jump by an hour, partitions that move between volumes, an operator that is killed under load.
# Runs alone: it measures take-overs and pauses.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
source "$TEST_HOME/lib/control-plane.sh"
suite_begin cluster
need java "a JDK, 17 or newer"
need javac "a JDK, 17 or newer"
need mvn "Apache Maven"
control_plane_need
run_client cluster 1100 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/cluster/main.ts" "$TMP/control-plane"
suite_end
