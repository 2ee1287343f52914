#!/usr/bin/env bash
# Unmodified clients log in: by SCRAM, by PLAIN over TLS, by certificate; are refused in every way; renew their sessions;
# and see another certificate once its file has changed.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin security
need java "a JDK, 17 or newer"
need javac "a JDK, 17 or newer"
need mvn "Apache Maven"
need go "Go 1.26 or newer"
need openssl "openssl"
command -v kcat >/dev/null || [[ ${CI:-} != true ]] || apt_install kcat >"$TMP/apt.log" 2>&1
need kcat "kcat (apt-get install kcat)"
if [[ $KAAS_TEST_BROKER != kaas ]]; then
  skipped "security is set up for kaas alone"
  suite_end
fi

certificates=$TMP/certificates
mkdir -p "$certificates"
(cd "$ROOT" && npx tsx test/security/mint.ts "$certificates") || { not_ok "certificates are made"; suite_end; }
cp "$certificates/broker.pem" "$certificates/in-use.pem"

sasl_ssl=127.0.0.1:$(free_port) ssl=127.0.0.1:$(free_port) sasl_plaintext=127.0.0.1:$(free_port)
export BROKER_LISTENERS="SASL_SSL://$sasl_ssl,SSL://$ssl,SASL_PLAINTEXT://$sasl_plaintext"
broker_start group.initial.rebalance.delay.ms=0 auto.create.topics.enable=true \
  sasl.enabled.mechanisms=SCRAM-SHA-256,SCRAM-SHA-512,PLAIN \
  listener.name.sasl_plaintext.sasl.enabled.mechanisms=SCRAM-SHA-256,SCRAM-SHA-512 \
  'listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_bob="bob-secret";' \
  listener.name.sasl_ssl.connections.max.reauth.ms=5000 \
  ssl.keystore.type=PEM "ssl.keystore.location=$certificates/in-use.pem" \
  ssl.truststore.type=PEM "ssl.truststore.location=$certificates/ca.pem" ssl.client.auth=required

run_client java44 600 "$TEST_HOME/security/java/run.sh" "$BOOTSTRAP" "$sasl_ssl" "$ssl" "$sasl_plaintext" "$certificates"
# Users are there already, and survive.
broker_kill
broker_restart
run_client java37 600 env KAFKA_VERSION=3.7.2 "$TEST_HOME/security/java/run.sh" "$BOOTSTRAP" "$sasl_ssl" "$ssl" "$sasl_plaintext" "$certificates"
run_client franz 600 "$TEST_HOME/interop/go/run.sh" security check "$sasl_ssl" "$ssl" "$certificates"

k() { timeout 90 kcat -q "$@"; }
tls=(-X ssl.ca.location="$certificates/ca.pem")
sasl() { # MECHANISM USER PASSWORD
  login=(-b "$sasl_ssl" -X security.protocol=SASL_SSL "${tls[@]}" -X sasl.mechanisms="$1" -X sasl.username="$2" -X sasl.password="$3")
}
certificate() { # NAME
  login=(-b "$ssl" -X security.protocol=SSL "${tls[@]}" -X ssl.certificate.location="$certificates/$1-certificate.pem"
    -X ssl.key.location="$certificates/$1-key.pem")
}
round_trip() {
  local topic=kcat-$RANDOM$RANDOM
  seq 1 500 | k "${login[@]}" -P -t "$topic" && [[ $(k "${login[@]}" -C -t "$topic" -o beginning -e) == "$(seq 1 500)" ]]
}
# Who is refused tries again for a minute: all of them at once, while others are let in.
declare -A tries=()
try() { # NAME
  timeout 90 kcat "${login[@]}" -L -m 60 >"$TMP/try-$1" 2>&1 &
  tries[$1]=$!
}
end_tries() { kill "${tries[@]}"; }
at_suite_end end_tries
refused() { # NAME TEXT
  ! wait "${tries[$1]}" && grep -qi "$2" "$TMP/try-$1" || { cat "$TMP/try-$1"; return 1; }
}
mechanisms=(SCRAM-SHA-256 SCRAM-SHA-512 PLAIN)
for mechanism in "${mechanisms[@]}"; do
  sasl "$mechanism" alice wrong
  try "$mechanism"
done
certificate stranger
try stranger
for mechanism in "${mechanisms[@]}"; do
  sasl "$mechanism" alice alice-secret
  check "kcat: $mechanism over TLS" round_trip
done
certificate alice
check "kcat: a certificate" round_trip
for mechanism in "${mechanisms[@]}"; do
  check "kcat: $mechanism with a wrong password" refused "$mechanism" "authentication fail\|invalid credentials"
done
check "kcat: a stranger's certificate" refused stranger "ssl\|disconnect\|transport"

shown_name() { openssl s_client -connect "$sasl_ssl" -CAfile "$certificates/ca.pem" </dev/null 2>/dev/null | openssl x509 -noout -subject; }
renewed() {
  for ((i = 0; i < 240; i++)); do
    [[ $(shown_name) == *"broker renewed"* ]] && return 0
    sleep 0.5
  done
  shown_name
  return 1
}
echo rubbish >"$certificates/in-use.pem"
unchanged() {
  for ((i = 0; i < 240; i++)); do
    grep -q "new certificates cannot be used" "$BROKER_DIR"/*.log && break
    sleep 0.5
  done
  [[ $(shown_name) == *broker ]]
}
check "a broken certificate is named, and changes nothing" unchanged
cp "$certificates/broker-renewed.pem" "$certificates/in-use.pem"
check "a new certificate is shown without a restart" renewed
sasl SCRAM-SHA-512 alice alice-secret
check "kcat: with the new certificate" round_trip
secrets() { ! grep -E 'alice-secret|bob-secret|PRIVATE KEY' "$BROKER_DIR"/*.log && [[ $(stat -c %a "$BROKER_DIR/data/__cluster/credentials.json") == 600 ]]; }
check "nothing secret is in the log, and credentials.json is its owner's" secrets
suite_end
