#!/usr/bin/env bash
# The operator with a real API server and the rights of the chart: what resources are taken and refused, topics, users and
# clusters made and removed, in every order, and while the API server is killed. It is built from Go modules and kept in
# the cache: ten minutes the first time.
KAAS_TEST_BROKER=kube-apiserver
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin operator
need go "Go 1.26 or newer, to build Kubernetes"
trap '"$ROOT/node_modules/.bin/tsx" "$TEST_HOME/kubernetes/main.ts" stop "$TMP/control-plane" >/dev/null 2>&1; suite_cleanup' EXIT
fetch kubernetes "$TEST_HOME/kubernetes/build.sh" >"$TMP/build-kubernetes.log" 2>&1 || { tail -n 20 "$TMP/build-kubernetes.log"; not_ok "Kubernetes cannot be built"; suite_end; }
run_client operator 1200 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/operator/main.ts" "$TMP/control-plane"
suite_end
