#!/usr/bin/env bash
# confluent-kafka (librdkafka) from PyPI: run.sh check|leave|verify HOST:PORT …, see checklist.py.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../../lib/fetch.sh"
venv=${XDG_CACHE_HOME:-$HOME/.cache}/kaas-test/python-$(sha256sum "$HERE/requirements.txt" | cut -c1-12)
if [[ ! -e $venv/.complete ]]; then
  mkdir -p "$(dirname "$venv")"
  python3 -m venv "$venv" >&2
  fetch pip "$venv/bin/pip" install --quiet -r "$HERE/requirements.txt" >&2
  touch "$venv/.complete"
fi
exec "$venv/bin/python" "$HERE/checklist.py" "$@"
