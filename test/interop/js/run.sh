#!/usr/bin/env bash
# The JavaScript clients: run.sh kafkajs|platformatic check|leave|verify HOST:PORT …, see kafkajs.ts and platformatic.ts.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
client=$1
shift
export KAFKAJS_NO_PARTITIONER_WARNING=1
exec "$HERE/../../../node_modules/.bin/tsx" "$HERE/$client.ts" "$@"
