#!/usr/bin/env bash
# kcat (librdkafka): run.sh check|leave|verify HOST:PORT …, as ../java/src/Main.java; what kcat can do.
set -uo pipefail
mode=$1 broker=$2
shift 2
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
k() { timeout 90 kcat -q -b "$broker" "$@"; }

check() { # NAME COMMAND…
  local name=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    echo "ok    $name"
  else
    failed=1
    echo "FAIL  $name: $(tail -n 3 "$work/out" | tr '\n' ' ' | cut -c1-300)"
  fi
}

same() { [[ "$1" == "$2" ]] || { printf 'expected %s, got %s\n' "$1" "$2"; return 1; }; }
fresh() { echo "kcat-$RANDOM$RANDOM"; }

codec() {
  local topic
  topic=$(fresh)
  seq 1 500 | sed 's/.*/k&:v&/' | k -P -t "$topic" -K: -z "$1" -H "codec=$1" || return 1
  same "$(seq 1 500 | sed "s/.*/k& v& codec=$1/")" "$(k -C -t "$topic" -o beginning -e -f '%k %s %h\n')"
}

tombstone() {
  local topic
  topic=$(fresh)
  printf 'k:v\nk:\n' | k -P -t "$topic" -K: -Z || return 1
  same $'0 1\n1 -1' "$(k -C -t "$topic" -o beginning -e -f '%o %S\n')"
}

offsets() {
  local topic
  topic=$(fresh)
  seq 1 20 | k -P -t "$topic" || return 1
  same 20 "$(k -C -t "$topic" -o beginning -e | wc -l)" &&
    same 20 "$(k -C -t "$topic" -o -1 -e)" &&
    same 6 "$(k -C -t "$topic" -o 5 -c 1)" &&
    same "$topic [0] offset 0" "$(k -Q -t "$topic:0:1")"
}

group() {
  local topic
  topic=$(fresh)
  seq 1 30 | k -P -t "$topic" || return 1
  same "$(seq 1 10)" "$(k -G "$topic" -X auto.offset.reset=earliest -X heartbeat.interval.ms=300 -c 10 "$topic")" &&
    same "$(seq 11 30)" "$(k -G "$topic" -X auto.offset.reset=earliest -X heartbeat.interval.ms=300 -c 20 "$topic")"
}

metadata() { k -L | grep -E '1 brokers|broker .* at 127.0.0.1' && k -L -J | jq -e '.brokers | length == 1'; }

idempotent() {
  local topic
  topic=$(fresh)
  seq 1 3000 | k -P -t "$topic" -X enable.idempotence=true -X batch.num.messages=50 || return 1
  same "$(seq 1 3000)" "$(k -C -t "$topic" -o beginning -e)"
}

records() { # CODEC…
  local codec
  for codec in "$@"; do
    for i in $(seq 0 24); do printf '%s-%d:value-%d-%s\n' "$codec" "$i" "$i" "$(printf 'x%.0s' $(seq 200))"; done
  done
}

leave() {
  local codec
  for codec in none gzip snappy lz4 zstd; do
    records "$codec" | k -P -t "left-$1" -K: -z "$codec" -H "codec=$codec" -X linger.ms=50 || return 1
  done
  same 10 "$(k -G "left-$1" -X auto.offset.reset=earliest -c 10 "left-$1" | wc -l)"
}

verify() { # NAME COUNT
  local codecs=(none gzip snappy lz4 zstd)
  same "$(records "${codecs[@]:0:$2/25}" | awk -F: '{ split($1, k, "-"); print NR - 1, $1, $2, "codec=" k[1] }')" \
    "$(k -C -t "left-$1" -o beginning -e -f '%o %k %s %h\n')"
}

case $mode in
  check)
    for codec in none gzip snappy lz4 zstd; do check "produce and consume, $codec" codec "$codec"; done
    check "tombstones" tombstone
    check "idempotent producer" idempotent
    check "offsets: beginning, tail, absolute, for times" offsets
    check "group: commit on leaving, then resume" group
    check "metadata" metadata ;;
  leave) check "leave records and an offset" leave "$1" ;;
  verify) for other in "$@"; do check "read what ${other%=*} left" verify "${other%=*}" "${other#*=}"; done ;;
esac
echo done
exit "$failed"
