#!/usr/bin/env bash
# The operator with a real API server and the rights of the chart: what resources are taken and refused, topics, users and
# clusters made and removed, in every order, and while the API server is killed. It is built from Go modules and kept in
# the cache: ten minutes the first time.
KAAS_TEST_BROKER=kube-apiserver
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
source "$TEST_HOME/lib/control-plane.sh"
suite_begin operator
control_plane_need
run_client operator 1200 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/operator/main.ts" "$TMP/control-plane"
suite_end
