#!/usr/bin/env bash
# The Go clients: run.sh franz|sarama check|leave|verify HOST:PORT …, see franz/main.go and sarama/main.go.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../../lib/fetch.sh"
client=$1
shift
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kaas-test
mkdir -p "$cache"
(cd "$HERE" && fetch "go-$client" go build -o "$cache/interop-$client" "./$client")
exec "$cache/interop-$client" "$@"
