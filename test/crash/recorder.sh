# Sourced by the suites that take a broker's power or life at a step of its own: makes power-loss/recorder.c a library.
#   recorder_build     sets RECORDER to its path; false where there is no C compiler, or no Linux

recorder_build() {
  local source=$TEST_HOME/crash/power-loss/recorder.c
  [[ $(uname -s) == Linux ]] || return 1
  install_gcc() { apt-get install -y gcc libc6-dev || { apt-get update && apt-get install -y gcc libc6-dev; }; }
  command -v gcc >/dev/null || [[ ${CI:-} != true ]] || install_gcc >"$TMP/apt.log" 2>&1
  command -v gcc >/dev/null || return 1
  RECORDER=$TMP/recorder.so
  gcc -shared -fPIC -O2 -Wall -Wextra -Werror -o "$RECORDER" "$source" -ldl -lpthread
}
