# Sourced by the suites that load a library of their own into a broker (KAAS_PRELOAD).
#   preload_build SOURCE LIBRARY   makes it; false where there is no C compiler, or no Linux

preload_build() {
  [[ $(uname -s) == Linux ]] || return 1
  command -v gcc >/dev/null || [[ ${CI:-} != true ]] || apt_install gcc libc6-dev >"$TMP/apt.log" 2>&1
  command -v gcc >/dev/null || return 1
  gcc -shared -fPIC -O2 -Wall -Wextra -Werror -o "$2" "$1" -ldl -lpthread
}
