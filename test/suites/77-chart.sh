#!/usr/bin/env bash
# The Helm chart: looked over by Helm, rendered with the examples' values, installed into a real API server, upgraded,
# removed. The first run builds Helm and the control plane of Kubernetes, about fifteen minutes of one core.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin chart
need go "Go 1.26 or newer"
helm=$("$TEST_HOME/chart/helm.sh" 2>"$TMP/helm.log") || { not_ok "Helm can be built"; tail -n 5 "$TMP/helm.log"; suite_end; }
run_client chart 900 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/chart/main.ts" "$helm" "$TMP"
suite_end
