#!/usr/bin/env bash
# Apache Kafka's own integration tests (of 4.3.1) against a broker outside their JVM.
#   run.sh HOOK OUT [CLASS…]
# HOOK: a program that gives each test a fresh broker, see ExternalCluster.java and hook.sh. OUT: folder for log.txt.
# CLASS: a test class, or CLASS#method; without any, those of classes.txt less not-run.txt.
# IT_BROKERS (tests that ask for more are skipped; default 3, though one may answer), IT_PROTOCOLS (default CLASSIC),
# IT_TIMEOUT (a test's, default '60 s'), IT_LIMIT (seconds of one JVM, default 1200), IT_ONLY (a regex that package,
# class and method must match), IT_LONG=1 (those of classes-long.txt too).
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../lib/fetch.sh"
IT_VERSION=4.3.1
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/kaas-test/kafka-it-$IT_VERSION
[[ $# -ge 2 ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
hook=$1 out=$2
shift 2
mkdir -p "$CACHE" "$out"

exec 9>"$CACHE/.lock"
flock 9
if [[ ! -e $CACHE/.complete ]]; then
  fetch maven mvn -B -q -f "$HERE/pom.xml" "-Dkafka.version=$IT_VERSION" dependency:copy-dependencies -DincludeScope=runtime \
    "-DoutputDirectory=$CACHE/lib" >"$CACHE/install.log" 2>&1 9>&- ||
    { echo "mvn failed, see $CACHE/install.log" >&2; exit 1; }
  touch "$CACHE/.complete"
fi
jars=("$CACHE"/lib/*.jar)
classpath=$(IFS=:; echo "${jars[*]}")
stamp=$(cd "$HERE/src" && find . -name '*.java' -exec sha256sum {} + | sort | sha256sum)
if [[ $(cat "$CACHE/classes.stamp" 2>/dev/null) != "$stamp" ]]; then
  rm -rf "$CACHE/classes"
  mkdir -p "$CACHE/classes"
  find "$HERE/src" -name '*.java' -print0 | xargs -0 javac -nowarn -Xlint:none -d "$CACHE/classes" -cp "$classpath"
  java -cp "$CACHE/classes:$classpath" Patch "$CACHE/classes"
  echo "$stamp" >"$CACHE/classes.stamp"
fi
flock -u 9
exec 9>&-

opens=()
for package in java.lang java.util java.util.concurrent java.nio java.nio.file java.net; do
  opens+=(--add-opens "java.base/$package=ALL-UNNAMED")
done
# not-run.txt names Class.method; the launcher wants a regex for all of package.Class#method. What Apache Kafka itself
# does not pass from outside, in no invocation, is left out too: it says nothing, and most of it ends by a time-out.
hopeless=$(awk '!/^#/ { if ($1 == "ok") good[$2]; else bad[$2] } END { for (t in bad) if (!(t in good)) print t }' "$HERE/baseline.txt" |
  sed 's/\./[.#]/' | paste -sd'|')
excluded=(--exclude-methodname "^.*[.]($hopeless)\$")
while IFS= read -r pattern; do excluded+=(--exclude-methodname "^.*${pattern//\\./[.#]}.*\$"); done < <(
  grep -vE '^(#|$)' "$HERE/not-run.txt" | sed 's/  .*//')

launch() { # the classes that one JVM runs; a JVM that hangs takes no other with it
  local select=() class
  for class in "$@"; do
    if [[ $class == *#* ]]; then select+=(--select-method "$class"); else select+=(--select-class "$class"); fi
  done
  timeout -k 5 "${IT_LIMIT:-1200}" java -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "${opens[@]}" \
    -Djunit.jupiter.extensions.autodetection.enabled=true \
    "-Djunit.jupiter.execution.timeout.testtemplate.method.default=${IT_TIMEOUT:-60 s}" \
    "-Dkafka.it.hook=$hook" "-Dkafka.it.brokers=${IT_BROKERS:-3}" "-Dkafka.it.protocols=${IT_PROTOCOLS:-CLASSIC}" \
    "-Dlog4j2.configurationFile=$HERE/log4j2.properties" -cp "$CACHE/classes:$classpath" \
    org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=testfeed \
    "${excluded[@]}" ${IT_ONLY:+--include-methodname "$IT_ONLY"} "${select[@]}"
}

status=0
: >"$out/log.txt"
if (($#)); then
  launch "$@" >>"$out/log.txt" 2>&1 || status=$?
else
  while IFS= read -r -d '' paragraph; do
    mapfile -t classes < <(grep -vE '^(#|$)' <<<"$paragraph")
    launch "${classes[@]}" >>"$out/log.txt" 2>&1 || status=$?
  done < <(awk 'BEGIN { RS = ""; ORS = "\0" } { print }' "$HERE/classes.txt" ${IT_LONG:+"$HERE/classes-long.txt"})
fi
((status < 100)) || echo "a JVM ended with status $status, see $out/log.txt" >&2
"$HERE/../../node_modules/.bin/tsx" "$HERE/rows.ts" "$out/log.txt"
