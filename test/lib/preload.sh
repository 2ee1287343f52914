# Sourced by the suites that load a library of their own into a broker (KAAS_PRELOAD).
#   preload_build SOURCE LIBRARY   makes it; false where there is no C compiler, or no Linux

preload_build() {
  [[ $(uname -s) == Linux ]] || return 1
  install_gcc() { apt-get install -y gcc libc6-dev || { apt-get update && apt-get install -y gcc libc6-dev; }; }
  command -v gcc >/dev/null || [[ ${CI:-} != true ]] || install_gcc >"$TMP/apt.log" 2>&1
  command -v gcc >/dev/null || return 1
  gcc -shared -fPIC -O2 -Wall -Wextra -Werror -o "$2" "$1" -ldl -lpthread
}
