#!/usr/bin/env bash
# Disks that fail while a broker is at work, as a library makes them: input/output errors that come once or stay, no space,
# a file system that has become read-only, no descriptors, reads that fail, fsyncs and writes that hang for longer than the
# broker waits. Who is concerned is told to try again, in time; the others are served, and commits go on where they can;
# memory is bounded; what was acknowledged is there after a kill; and when the cause is gone all is served again, without
# a restart.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
source "$TEST_HOME/lib/preload.sh"
suite_begin failures
need prlimit "to take descriptors away from a broker (apt-get install util-linux)"
preload_build "$TEST_HOME/failures/faults.c" "$TMP/faults.so" ||
  need gcc "the library is C, for Linux (apt-get install gcc libc6-dev)"
[[ -e $TMP/faults.so ]] || { not_ok "the library cannot be made"; suite_end; }
run_client failures 900 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/failures/main.ts" "$TMP/faults.so" "$TMP"
suite_end
