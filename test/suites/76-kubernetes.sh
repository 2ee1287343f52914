#!/usr/bin/env bash
# The API server of Kubernetes itself, with etcd, controllers and played nodes: leases, watches and admin writes do what
# they should with it, while connections are cut, rights are lost, and the server is killed and comes back without memory.
# It is built from Go modules and kept in the cache: ten minutes the first time.
KAAS_TEST_BROKER=kube-apiserver
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
source "$TEST_HOME/lib/control-plane.sh"
suite_begin kubernetes
control_plane_need
run_client kubernetes 1200 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/kubernetes/suite/main.ts" "$TMP/control-plane"
suite_end
