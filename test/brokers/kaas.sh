#!/usr/bin/env bash
# One kaas broker on 127.0.0.1, from the built apps/broker.
#   kaas.sh start PORT DIR [KEY=VALUE…]   prints the pid once it answers; DIR/data is its data folder
#   kaas.sh stop PORT DIR                 SIGTERM, and waits; fails if that takes a minute
#   kaas.sh kill PORT DIR                 SIGKILL
#   kaas.sh pid PORT DIR                  prints the pid while it lives
# KEY=VALUE are broker properties, kept for later starts. KAAS_NODE_OPTIONS are for node itself. KAAS_PRELOAD is a library
# that is loaded into it. BROKER_LISTENERS are listeners beside the one on PORT.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../lib/process.sh"
[[ $# -ge 3 && $2 =~ ^[0-9]+$ ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
command=$1 port=$2 dir=$3
shift 3
case $command in
  pid) running_pid "$dir" ;;
  stop) end_broker "$dir" TERM ;;
  kill) end_broker "$dir" KILL ;;
  start)
    mkdir -p "$dir"
    for property in "$@"; do printf '%s\n' "$property" >>"$dir/properties"; done
    overrides=()
    if [[ -e $dir/properties ]]; then
      while IFS= read -r property; do overrides+=(--override "$property"); done <"$dir/properties"
    fi
    began=$EPOCHREALTIME
    # shellcheck disable=SC2086
    LD_PRELOAD=${KAAS_PRELOAD:-} setsid nohup node ${KAAS_NODE_OPTIONS:-} "$HERE/../../apps/broker/dist/main.cjs" --data-dir "$dir/data" \
      --listeners "PLAINTEXT://127.0.0.1:$port${BROKER_LISTENERS:+,$BROKER_LISTENERS}" "${overrides[@]}" </dev/null >>"$dir/server.log" 2>&1 &
    pid=$!
    echo "$pid" >"$dir/broker.pid"
    await_ready "$port" "$dir" "$pid" "$began"
    echo "$pid" ;;
  *) echo "no command $command" >&2; exit 2 ;;
esac
