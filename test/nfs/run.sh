#!/usr/bin/env bash
# run.sh DIRECTORY [ROW…]: main.ts in a network and among processes of its own, which are gone when it ends. Needs root.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec unshare --net --mount --pid --fork --kill-child --mount-proc "$here/../../node_modules/.bin/tsx" "$here/main.ts" "$@"
