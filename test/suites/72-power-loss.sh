#!/usr/bin/env bash
# Power is lost at random moments: a library records all that a broker under load asks of its disk, and when it answered
# its clients; from that, directory trees are made that a power loss may have left, and opened again. What was
# acknowledged by then is there; a second opening, and a power loss within the recovery, change nothing; kaasctl finds the
# volume sound. At the end disks on which fsync does nothing have to be found out. test/crash/README.md says what this
# covers and what not.
#
#   72-power-loss.sh [--cuts N] [--seed S]     120 cuts; the seed is printed by every run
#
# Where the broker dies and what each disk loses follow from the seed; what the broker and its clients do in between is
# as the machine has it.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
source "$TEST_HOME/crash/recorder.sh"
cuts=${KAAS_POWER_LOSS_CUTS:-120} seed=${KAAS_POWER_LOSS_SEED:-$(date +%s)}
while (($# > 0)); do
  case $1 in
    --cuts) cuts=${2:?} ;;
    --seed) seed=${2:?} ;;
    *) echo "no option $1" >&2; exit 2 ;;
  esac
  shift 2
done
suite_begin power-loss
echo "# --seed $seed --cuts $cuts"
recorder_build || need gcc "the recorder is a C library of Linux (apt-get install gcc libc6-dev)"
[[ -e ${RECORDER:-} ]] || { not_ok "the recorder cannot be made"; suite_end; }
run_client power-loss $((900 + 4 * cuts)) "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/crash/power-loss/main.ts" "$RECORDER" "$TMP" "$cuts" "$seed"
suite_end
