#!/usr/bin/env bash
# SIGKILL at random moments, under load from idempotent, retrying and plain producers, a committing group and topics
# that come and go, with segments that roll every MiB; a round in five ends with SIGTERM instead. After each start
# everything that was acknowledged is there: at its offset, once (idempotent), in order; committed offsets do not go
# back; topics are there or gone as they were told. KAAS_CRASH_ROUNDS (20), KAAS_CRASH_SEED (printed by every run).
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin crash
rounds=${KAAS_CRASH_ROUNDS:-20} seed=${KAAS_CRASH_SEED:-$(date +%s)}
echo "# KAAS_CRASH_ROUNDS=$rounds KAAS_CRASH_SEED=$seed"
mkdir -p "$TMP/crash"
STARTED+=("$KAAS_TEST_BROKER 1 $TMP/crash")
run_client crash 600 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/crash/main.ts" "$KAAS_TEST_BROKER" "$TMP/crash" "$rounds" "$seed"
suite_end
