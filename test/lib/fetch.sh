# Sourced by whatever gets something over the network: servers answer slowly, fail once, or are asked by two at a time.
#   fetch KIND COMMAND…       runs it; if it fails, again after 5, 15 and 45 s. One at a time of a kind
#   apt_install PACKAGE…      where CI may install what is missing

fetch() {
  local lock=${XDG_CACHE_HOME:-$HOME/.cache}/kaas-test/fetch-$1.lock pause
  shift
  mkdir -p "$(dirname "$lock")"
  (
    flock 7
    for pause in 5 15 45; do
      "$@" 7>&- && exit 0
      echo "failed, is tried again in $pause s: $*" >&2
      sleep "$pause"
    done
    "$@" 7>&-
  ) 7>"$lock"
}

apt_install() {
  fetch apt bash -c 'export DEBIAN_FRONTEND=noninteractive
    apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@" ||
      { apt-get -o DPkg::Lock::Timeout=300 update; apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"; }' _ "$@"
}
