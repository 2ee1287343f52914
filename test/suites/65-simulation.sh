#!/usr/bin/env bash
# The storage engine on simulated machines and disks that fail in every way they can, one history a seed; then the same
# with one guard after the other taken out of it, each of which has to be noticed. KAAS_SIM_SECONDS (60) go
# to seeds of the sources as they are. Then clusters that govern themselves, by a lease, controllers and assignments, for
# KAAS_SIM_GOVERNED_SECONDS (20). Long runs: npm run test:sim -- [--governed] --seeds N.
KAAS_TEST_BROKER=simulated
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin simulation
run_client simulation 1200 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/simulation/main.ts" --suite "${KAAS_SIM_SECONDS:-60}"
run_client governed 1000 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/simulation/main.ts" \
  --governed --suite "${KAAS_SIM_GOVERNED_SECONDS:-20}"
suite_end
