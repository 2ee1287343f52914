#!/usr/bin/env bash
# KafkaUsers from end to end: brokers and operator as processes with the rights of the chart, a real API server, and the
# Java client, which logs in by SCRAM over TLS with what a user's Secret says, may do what its ACLs say, and waits at its
# quota; while passwords change, a broker restarts with nobody to ask, and users and topics come and go.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
source "$TEST_HOME/lib/control-plane.sh"
suite_begin kafka-user
need java "a JDK, 17 or newer"
need javac "a JDK, 17 or newer"
need mvn "Apache Maven"
control_plane_need
certificates=$TMP/certificates
mkdir -p "$certificates"
(cd "$ROOT" && node_modules/.bin/tsx test/security/mint.ts "$certificates") || { not_ok "certificates are made"; suite_end; }
run_client kafka-user 1200 "$ROOT/node_modules/.bin/tsx" "$TEST_HOME/kafka-user/main.ts" "$TMP/control-plane" "$certificates"
suite_end
