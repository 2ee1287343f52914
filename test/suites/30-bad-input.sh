#!/usr/bin/env bash
# What a broker does with bad input: each row of the table, then a million fuzzed frames beside well-behaved clients.
# KAAS_FUZZ_FRAMES (1000000), KAAS_FUZZ_SEED (printed by every run).
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin bad-input
frames=${KAAS_FUZZ_FRAMES:-1000000} seed=${KAAS_FUZZ_SEED:-$(date +%s)}
echo "# KAAS_FUZZ_FRAMES=$frames KAAS_FUZZ_SEED=$seed"
# Clients that only hold a connection do so for as long as it takes.
broker_start group.initial.rebalance.delay.ms=0 connections.max.idle.ms=3600000
run_client bad-input 1400 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/bad-input/main.ts" \
  "$BOOTSTRAP" "$BROKER_PID" "$BROKER_DIR/server.log" "$frames" "$seed"
grep '^#' "$TMP/client.out"
check "the broker logged no failure of its own" bash -c '! grep -n "handler does not know\|cannot be encoded\|cannot say that it failed" "$0" | head -n 5 | cut -c1-1500 | grep .' "$BROKER_DIR/server.log"
check "it stops in good order" broker_stop
suite_end
