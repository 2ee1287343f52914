#!/usr/bin/env bash
# SIGKILL at random moments, and at each step of the broker's own (a file made, written, cut, fsynced, linked, renamed,
# removed; a directory fsynced), under load from producers of several kinds, groups that commit until their journals are
# rewritten, topics that come and go, DeleteRecords, retention, compaction, configurations that change, and segments that
# roll; a round in five ends with SIGTERM instead. After each start everything that was acknowledged is there: at its
# offset, once (idempotent), in order, byte for byte; committed offsets do not go back; topics are there or gone as they
# were told. At the end kaasctl finds the volume sound. KAAS_CRASH_ROUNDS (20), KAAS_CRASH_SEED (printed by every run).
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
source "$TEST_HOME/crash/recorder.sh"
suite_begin crash
rounds=${KAAS_CRASH_ROUNDS:-20} seed=${KAAS_CRASH_SEED:-$(date +%s)}
echo "# KAAS_CRASH_ROUNDS=$rounds KAAS_CRASH_SEED=$seed"
mkdir -p "$TMP/crash"
STARTED+=("$KAAS_TEST_BROKER 1 $TMP/crash")
RECORDER=
if ! recorder_build; then
  RECORDER= without="kills at steps of the broker's own need gcc and Linux (apt-get install gcc libc6-dev)"
  if [[ ${CI:-} == true ]]; then not_ok "$without"; else skipped "$without"; fi
fi
run_client crash 1200 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/crash/main.ts" "$KAAS_TEST_BROKER" "$TMP/crash" "$rounds" "$seed" "$RECORDER"
suite_end
