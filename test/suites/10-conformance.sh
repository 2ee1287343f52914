#!/usr/bin/env bash
# Makes the conformance data anew from Kafka's official jars and compares it with what is checked in; then lets Kafka's
# classes read record batches that kaas builds. The tests on that data run in `npm test`.
KAAS_TEST_BROKER=jars
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin conformance
need java "a JDK, 17 or newer"
need mvn "Maven 3"
HERE=$ROOT/packages/kaas-core/test/conformance

# Compares what is inside: two gzips may pack the same lines differently.
same() {
  diff <(gzip -cdf "$HERE/data/$1") <(gzip -cdf "$TMP/data/$1") | cut -c1-300
  return "${PIPESTATUS[0]}"
}

# Says the same of kaas's batches, in Kafka's words and in ours.
batches_agree() {
  local conformance=packages/kaas-core/test/conformance tsx=node_modules/.bin/tsx
  cd "$ROOT" || return
  "$tsx" "$conformance/write-batches.ts" >"$TMP/batches" &&
    java -cp "$CACHE/conformance/4.4.0/*" "$conformance/java/Batches.java" --read <"$TMP/batches" >"$TMP/kafka" &&
    "$tsx" "$conformance/write-batches.ts" --describe >"$TMP/kaas" &&
    [[ -s $TMP/kaas ]] && diff "$TMP/kafka" "$TMP/kaas" | cut -c1-300
  return "${PIPESTATUS[0]}"
}

check "the data can be made anew" "$HERE/regenerate.sh" "$TMP/data"
for file in "$HERE"/data/*; do
  name=$(basename "$file")
  check "$name is what the jars say ($(gzip -cdf "$file" | wc -l) lines)" same "$name"
done
check "Kafka reads the batches that kaas builds" batches_agree
suite_end
