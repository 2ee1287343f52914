#!/usr/bin/env bash
# franz-go's own client tests (its module's pkg/kgo) against a broker.
#   run.sh HOST:PORT NOT_RUN
# NOT_RUN: tests that are left out, 'NAME  REASON' a line; they count as skipped. KGO_RECORDS (default 50000).
# Prints ok/FAIL/skip lines, then 'done'.
set -uo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../lib/fetch.sh"
[[ $# -eq 2 ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
left_out=$(grep -vE '^(#|$)' "$2" | sed 's/  .*//' | paste -sd'|')
cd "$HERE/../interop/go"
fetch go-modules go list -deps -test github.com/twmb/franz-go/pkg/kgo >/dev/null
KGO_SEEDS=$1 KGO_TEST_RF=1 KGO_TEST_RECORDS=${KGO_RECORDS:-50000} \
  go test -json -count=1 -timeout "${KGO_TIMEOUT:-900s}" ${left_out:+-skip "^($left_out)\$"} ${KGO_RUN:+-run "$KGO_RUN"} \
  github.com/twmb/franz-go/pkg/kgo | "$HERE/../../node_modules/.bin/tsx" "$HERE/rows.ts" "$2"
