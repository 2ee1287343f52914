#!/usr/bin/env bash
# Builds control-plane/ (etcd and the control plane of Kubernetes, from Go modules) and prints the path of the program.
# It is kept in the user's cache under the version of Kubernetes and a hash of the sources, so that it is built once:
# about ten minutes of one core the first time.
#
# Another version: change the k8s.io lines in control-plane/go.mod (v1.X.Y for kubernetes, v0.X.Y for the rest), and
# run 'go mod tidy' there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/control-plane"

version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
sources=$(cat go.mod go.sum ./*.go ../build.sh | sha256sum)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/kaas-test/control-plane-$version-${sources:0:12}
program=$folder/control-plane

if [[ ! -x $program ]]; then
  mkdir -p "$folder"
  exec 8>"$folder/lock"
  flock 8 # two suites at once: the second waits, and finds it done
  if [[ ! -x $program ]]; then
    echo "building Kubernetes $version for the tests, ten minutes of one core" >&2
    # The API server says which version it is by what the linker is told; without it, clients would see v0.0.0.
    IFS=. read -r major minor _ <<<"${version#v}"
    flags="-s -w"
    for holder in component-base/version client-go/pkg/version; do
      flags+=" -X k8s.io/$holder.gitVersion=$version -X k8s.io/$holder.gitMajor=$major -X k8s.io/$holder.gitMinor=$minor"
    done
    CGO_ENABLED=0 GOGC=400 nice go build -trimpath -gcflags=all=-dwarf=false -ldflags="$flags" -o "$program.new" . >&2
    mv "$program.new" "$program"
  fi
fi
echo "$program"
