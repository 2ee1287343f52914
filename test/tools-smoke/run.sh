#!/usr/bin/env bash
# Runs Apache Kafka's shell tools against a broker and says for each use whether it did its job.
#   run.sh HOST:PORT NOT_YET [LOG_FOLDER]
# NOT_YET: a file of uses that this broker does not serve, 'NAME REASON' a line: they count as skipped, and as failed
# once they work. LOG_FOLDER: the broker's log folder, for kafka-dump-log.
# ONLY=REGEX picks uses; OUT=FOLDER keeps each one's output. Prints ok/FAIL/skip lines, then 'done'.
set -uo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ $# -ge 2 ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
B=$1 NOT_YET=$2 LOG_FOLDER=${3:-}
TOOL=$HERE/../apache-kafka/tool.sh
if [[ -z ${OUT:-} ]]; then
  OUT=$(mktemp -d)
  trap 'rm -rf "$OUT"' EXIT
fi
mkdir -p "$OUT"
S=$RANDOM$RANDOM
T=smoke-$S
bs=(--bootstrap-server "$B")
failed=0

tool() { timeout -k 5 "${LIMIT:-150}" "$TOOL" "$@"; }
export LIMIT

use() {
  local name=$1 regex=$2 out=$OUT/$1.txt began=${EPOCHREALTIME/./} reason status ms
  shift 2
  [[ -z ${ONLY:-} || $name =~ $ONLY ]] || return 0
  reason=$(awk -v n="$name" '$1 == n { $1 = ""; print substr($0, 2) }' "$NOT_YET")
  LIMIT=${reason:+12} "$@" >"$out" 2>&1 </dev/null
  status=$?
  ms=$(((${EPOCHREALTIME/./} - began) / 1000))
  if { [[ $status == 0 || ${STATUS:-} == any ]]; } && { [[ -z $regex ]] || grep -qE -- "$regex" "$out"; }; then
    if [[ -z $reason ]]; then printf 'ok    %-34s %6d ms\n' "$name" "$ms"; return; fi
    printf 'FAIL  %-34s works, but is listed as not served: %s\n' "$name" "$reason"
  elif [[ -n $reason ]]; then
    printf 'skip  %-34s %s\n' "$name" "$reason"
    return
  else
    printf 'FAIL  %-34s status %d, wanted /%s/\n' "$name" "$status" "$regex"
    tail -n 5 "$out" | cut -c1-240 | sed 's/^/        /' >&2
  fi
  failed=1
}

source "$HERE/uses.sh"
echo done
exit "$failed"
