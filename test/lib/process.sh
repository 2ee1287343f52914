# How the two launchers in brokers/ start and end a process; sourced by them. The process is known by DIR/broker.pid
# and by DIR in its command line, so that a pid that was reused is never signalled.

ready() { # PORT: sends ApiVersions v0 and looks for error 0
  timeout 10 bash -c '
    exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
    printf "\0\0\0\x0e\0\x12\0\0\0\0\0\x07\0\x04ping" >&3
    [[ $(head -c 10 <&3 | tail -c 6 | od -An -tx1 | tr -d " \n") == 000000070000 ]]' _ "$1" 2>/dev/null
}

running_pid() { # DIR: prints the pid while that broker lives
  local pid
  pid=$(cat "$1/broker.pid" 2>/dev/null) && [[ -n $pid && -r /proc/$pid/cmdline ]] &&
    tr '\0' '\n' <"/proc/$pid/cmdline" | grep -qF "$1" && echo "$pid"
}

await_ready() { # PORT DIR PID BEGAN: BEGAN is EPOCHREALTIME from before the start, for DIR/start-ms; waits for two minutes
  local end=$((SECONDS + 120))
  while ((SECONDS < end)); do
    if ! kill -0 "$3" 2>/dev/null; then
      echo "the broker ended, see $2/server.log" >&2
      tail -n 20 "$2/server.log" >&2
      return 1
    fi
    if ready "$1"; then
      echo "$(((${EPOCHREALTIME/./} - ${4/./}) / 1000))" >"$2/start-ms"
      return 0
    fi
    sleep 0.01
  done
  kill -9 "$3" 2>/dev/null
  echo "not ready in time, see $2/server.log" >&2
  return 1
}

end_broker() { # DIR SIGNAL
  local pid i
  pid=$(running_pid "$1") || { rm -f "$1/broker.pid"; return 0; }
  kill "-$2" "$pid" 2>/dev/null || true
  for ((i = 1200; i > 0; i--)); do
    [[ -e /proc/$pid && $(sed 's/.*) //;s/ .*//' "/proc/$pid/stat" 2>/dev/null) != Z ]] || break
    sleep 0.05
  done
  ((i > 0)) || { echo "pid $pid did not end within a minute of SIG$2" >&2; kill -9 "$pid" 2>/dev/null; sleep 0.3; }
  rm -f "$1/broker.pid"
  ((i > 0))
}
