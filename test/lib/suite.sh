# Sourced by every suite: cache, ports, a broker under test, and the count of what passed. Not run by itself.
#
#   suite_begin NAME             temporary folder $TMP, removed at the end with all that broker_start started
#   need TOOL HINT               a toolchain: missing, it fails the suite under CI=true, else the suite is skipped
#   broker_start [KEY=VALUE…]    starts the broker under test; sets BOOTSTRAP, BROKER_PID, BROKER_DIR
#   broker_stop | broker_kill | broker_restart [KEY=VALUE…]
#   check NAME COMMAND…          one check: passes when the command exits 0
#   tally NAME FILE STATUS       counts the 'ok |FAIL |skip ' lines of a program's output
#   at_suite_end COMMAND…        runs however the suite ends, before $TMP is removed; does not change its exit status
#   suite_end                    the closing line 'N passed, N failed[, N skipped]' and the exit status
#
# KAAS_TEST_BROKER=kafka runs a suite against Apache Kafka instead of kaas: the number to hold kaas's beside.
# KAAS_TEST_KEEP=1 keeps $TMP.
set -uo pipefail
TEST_HOME=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ROOT=$(dirname "$TEST_HOME")
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/kaas-test
KAAS_TEST_BROKER=${KAAS_TEST_BROKER:-kaas}
PASSED=0 FAILED=0 SKIPPED=0
STARTED=() AT_END=()
source "$TEST_HOME/lib/fetch.sh"
source "$TEST_HOME/lib/free-port.sh"
mkdir -p "$CACHE"

suite_begin() {
  SUITE=$1
  TMP=$(mktemp -d "${TMPDIR:-/tmp}/kaas-$SUITE.XXXXXX")
  BEGAN=$SECONDS
  trap suite_cleanup EXIT
  trap 'exit 130' INT TERM
  [[ $KAAS_TEST_BROKER != kaas ]] || build_kaas
}

suite_cleanup() {
  local status=$? entry
  for entry in "${AT_END[@]}"; do eval "$entry"; done >/dev/null 2>&1
  for entry in "${STARTED[@]}"; do
    # shellcheck disable=SC2086
    "$TEST_HOME/brokers/${entry%% *}.sh" kill ${entry#* } >/dev/null 2>&1
  done
  if [[ ${KAAS_TEST_KEEP:-} == 1 ]]; then echo "kept $TMP" >&2; else rm -rf "$TMP"; fi
  exit "$status"
}

at_suite_end() { AT_END+=("$(printf '%q ' "$@")"); }

# kaas runs as a user runs it: from what was built.
build_kaas() {
  [[ -e $ROOT/apps/broker/dist/main.cjs && ${KAAS_TEST_BUILT:-} == 1 ]] && return 0
  (cd "$ROOT" && npm run --silent build) >"$TMP/build.log" 2>&1 || { tail -n 30 "$TMP/build.log" >&2; echo "FAIL  build"; FAILED=1; suite_end; }
}

suite_end() {
  local line="$PASSED passed, $FAILED failed"
  ((SKIPPED == 0)) || line+=", $SKIPPED skipped"
  echo "# $SUITE against $KAAS_TEST_BROKER: $((SECONDS - BEGAN)) s"
  echo "$line"
  ((FAILED == 0))
  exit
}

need() {
  command -v "$1" >/dev/null && return 0
  if [[ ${CI:-} == true ]]; then
    echo "FAIL  $SUITE needs $1: $2"
    FAILED=$((FAILED + 1))
  else
    echo "skip  $SUITE needs $1: $2"
    SKIPPED=$((SKIPPED + 1))
  fi
  suite_end
}

ok() { PASSED=$((PASSED + 1)); printf 'ok    %s\n' "$*"; }
not_ok() { FAILED=$((FAILED + 1)); printf 'FAIL  %s\n' "$*"; }
skipped() { SKIPPED=$((SKIPPED + 1)); printf 'skip  %s\n' "$*"; }

check() {
  local name=$1 out=$TMP/check.out
  shift
  if "$@" >"$out" 2>&1; then ok "$name"; else not_ok "$name"; tail -n 15 "$out" | sed 's/^/        /'; fi
}

# A program that died before its last line 'done' has failed, whatever it counted until then.
tally() {
  local name=$1 file=$2 status=$3
  sed -nE 's/^(ok|FAIL|skip) +/\1 /p' "$file" | while read -r word rest; do printf '%-5s %s: %s\n' "$word" "$name" "$rest"; done
  PASSED=$((PASSED + $(grep -c '^ok ' "$file")))
  FAILED=$((FAILED + $(grep -c '^FAIL ' "$file")))
  SKIPPED=$((SKIPPED + $(grep -c '^skip ' "$file")))
  if ! grep -qx 'done' "$file" || { ((status != 0)) && ! grep -q '^FAIL ' "$file"; }; then
    not_ok "$name: ended early, status $status"
    tail -n 25 "$file" | sed 's/^/        /'
  fi
}

# run_client NAME SECONDS COMMAND…: a client program that prints ok/FAIL/skip lines and 'done'
run_client() {
  local name=$1 limit=$2 status
  shift 2
  timeout -k 5 "$limit" "$@" >"$TMP/client.out" 2>"$TMP/client.err" </dev/null
  status=$?
  tally "$name" "$TMP/client.out" "$status"
  if ((status != 0)); then tail -n 25 "$TMP/client.err" | cut -c1-300 | sed 's/^/        /'; fi
}

broker_start() {
  BROKER_PORT=$(free_port)
  BROKER_DIR=$(mktemp -d "$TMP/broker.XXXX")
  BOOTSTRAP=127.0.0.1:$BROKER_PORT
  STARTED+=("$KAAS_TEST_BROKER $BROKER_PORT $BROKER_DIR")
  broker_restart "$@"
}

broker_restart() {
  BROKER_PID=$("$TEST_HOME/brokers/$KAAS_TEST_BROKER.sh" start "$BROKER_PORT" "$BROKER_DIR" "$@") && return 0
  not_ok "$SUITE: the broker did not start"
  tail -n 20 "$BROKER_DIR"/*.log | sed 's/^/        /'
  suite_end
}

broker_stop() { "$TEST_HOME/brokers/$KAAS_TEST_BROKER.sh" stop "$BROKER_PORT" "$BROKER_DIR"; }
broker_kill() { "$TEST_HOME/brokers/$KAAS_TEST_BROKER.sh" kill "$BROKER_PORT" "$BROKER_DIR"; }
