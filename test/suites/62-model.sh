#!/usr/bin/env bash
# The protocol of leadership and of moves, searched exhaustively in small worlds: whole in each configuration, then with each of its
# steps left out, which must be found. Prints the shortest way to each fault (lines with '#').
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
KAAS_TEST_BROKER=model
suite_begin model
run_client model 1200 "$ROOT/node_modules/.bin/tsx" "$ROOT/packages/kaas-storage/test/protocol-model/main.ts"
grep '^#' "$TMP/client.out"
suite_end
