# Sourced, after suite.sh, by the suites that want a control plane of Kubernetes at $TMP/control-plane.
#   control_plane_need   builds it, ten minutes the first time; whatever runs of it at the end of the suite is ended

control_plane_need() {
  need go "Go 1.26 or newer, to build Kubernetes"
  at_suite_end "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/kubernetes/main.ts" stop "$TMP/control-plane"
  fetch kubernetes "$TEST_HOME/kubernetes/build.sh" >"$TMP/build-kubernetes.log" 2>&1 && return 0
  tail -n 20 "$TMP/build-kubernetes.log"
  not_ok "Kubernetes cannot be built"
  suite_end
}
