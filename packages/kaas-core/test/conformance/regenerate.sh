#!/usr/bin/env bash
# Makes data/ anew from the official jars, which Maven fetches once into the cache.
#
#   regenerate.sh          writes data/
#   regenerate.sh DIR      writes DIR instead, and leaves data/ alone
#
# Needs a JDK 17 or newer and mvn.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../../../test/lib/fetch.sh"
out=$(mkdir -p "${1:-$here/data}" && cd "${1:-$here/data}" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kaas-test/conformance

# jars VERSION: prints the folder that holds them
jars() {
  local lib=$cache/$1
  if [[ ! -e $lib.complete ]]; then
    rm -rf "$lib"
    fetch maven mvn -B -q -f "$here/pom.xml" "-Dkafka.version=$1" dependency:copy-dependencies \
      -DincludeScope=runtime "-DoutputDirectory=$lib" >&2
    touch "$lib.complete"
  fi
  echo "$lib"
}

# program VERSION NAME ARGS…: runs one of java/*.java on that version's jars
program() {
  local lib name=$2
  lib=$(jars "$1")
  shift 2
  java -XX:TieredStopAtLevel=1 -cp "$lib/*" "$here/java/$name.java" "$@"
}

newest=$(jars 4.4.0)
oldest=$(jars 3.7.2)
definitions=("$newest/kafka-clients-4.4.0.jar" "$newest/kafka-group-coordinator-4.4.0.jar")
older_definitions=("$oldest/kafka-clients-3.7.2.jar")

program 4.4.0 Schemas "${definitions[@]}" >"$out/schemas-4.4.0.jsonl"
program 3.7.2 Schemas "${older_definitions[@]}" >"$out/schemas-3.7.2.jsonl"
program 4.4.0 ErrorTable >"$out/errors-4.4.0.jsonl"
program 4.4.0 Vectors "${definitions[@]}" | gzip -9n >"$out/vectors-4.4.0.jsonl.gz"
program 3.7.2 Vectors "${older_definitions[@]}" | gzip -9n >"$out/vectors-3.7.2.jsonl.gz"
program 4.4.0 Batches | gzip -9n >"$out/batches-4.4.0.jsonl.gz"
