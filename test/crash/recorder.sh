# Sourced by the suites that take a broker's power or life at a step of its own: makes power-loss/recorder.c a library.
#   recorder_build     sets RECORDER to its path; false where there is no C compiler, or no Linux
source "$TEST_HOME/lib/preload.sh"

recorder_build() {
  preload_build "$TEST_HOME/crash/power-loss/recorder.c" "$TMP/recorder.so" && RECORDER=$TMP/recorder.so
}
