#!/usr/bin/env bash
# Builds Helm from Go modules and prints the path of the program, which is kept in the user's cache: some minutes the first
# time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/helm"
source ../../lib/fetch.sh
sources=$(cat go.mod go.sum | sha256sum)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/kaas-test/helm-${sources:0:12}
if [[ ! -x $folder/helm ]]; then
  mkdir -p "$folder"
  exec 8>"$folder/lock"
  flock 8 # somebody may be at it
  if [[ ! -x $folder/helm ]]; then
    CGO_ENABLED=0 fetch go-modules go list -deps helm.sh/helm/v3/cmd/helm >/dev/null
    CGO_ENABLED=0 nice go build -trimpath -ldflags "-s -w" -o "$folder/helm.new" helm.sh/helm/v3/cmd/helm >&2
    mv "$folder/helm.new" "$folder/helm"
  fi
fi
echo "$folder/helm"
