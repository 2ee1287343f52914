import { because, type BrokerConfigDefinition, taken } from "./broker-config-definition.js";
import { atLeast, type ConfigRule, oneOf } from "./config-definition.js";

const storeType: ConfigRule = {
  text: "`PEM`, `PKCS12` or `JKS`",
  problem: (value) =>
    ["PEM", "PKCS12", "JKS"].includes((value as string).toUpperCase())
      ? undefined
      : "String must be one of: PEM, PKCS12, JKS",
};

const tls: readonly BrokerConfigDefinition[] = [
  {
    name: "ssl.cipher.suites",
    type: "list",
    defaultValue: "",
    standing: "honoured",
    documentation: "Cipher suites, by their IANA or OpenSSL names; empty: those of Node that are considered secure.",
  },
  {
    name: "ssl.client.auth",
    type: "string",
    defaultValue: "none",
    rule: oneOf("required", "requested", "none"),
    standing: "honoured",
    documentation:
      "Whether clients must, or may, show a certificate. On a SASL_SSL listener only as `listener.name.<name>.ssl.client.auth`, as in Kafka.",
  },
  {
    name: "ssl.enabled.protocols",
    type: "list",
    defaultValue: "TLSv1.2,TLSv1.3",
    standing: "honoured",
    documentation: "TLS versions: `TLSv1.2`, `TLSv1.3` or both; older ones are refused.",
  },
  {
    name: "ssl.key.password",
    type: "password",
    defaultValue: null,
    standing: "honoured",
    documentation: "The password of an encrypted private key.",
  },
  {
    name: "ssl.keystore.certificate.chain",
    type: "password",
    defaultValue: null,
    standing: "honoured",
    documentation: "The listener's certificate and its intermediates, as PEM; needs `ssl.keystore.type=PEM`.",
  },
  {
    name: "ssl.keystore.key",
    type: "password",
    defaultValue: null,
    standing: "honoured",
    documentation: "The private key of the certificate, as PEM; needs `ssl.keystore.type=PEM`.",
  },
  {
    name: "ssl.keystore.location",
    type: "string",
    defaultValue: null,
    standing: "honoured",
    documentation:
      "A file with key and certificates. Looked at every few seconds: a changed one is used for new connections.",
  },
  {
    name: "ssl.keystore.password",
    type: "password",
    defaultValue: null,
    standing: "honoured",
    documentation: "The password of a PKCS12 keystore.",
  },
  {
    name: "ssl.keystore.type",
    type: "string",
    defaultValue: "JKS",
    rule: storeType,
    standing: "honoured",
    documentation: "`PEM`, or `PKCS12` where clients show no certificates. A JKS file cannot be read.",
  },
  {
    name: "ssl.principal.mapping.rules",
    type: "string",
    defaultValue: "DEFAULT",
    standing: "honoured",
    documentation:
      "Rules that make a user's name of a certificate's subject: `RULE:pattern/replacement/[LU]` or `DEFAULT`, the first that matches.",
  },
  {
    name: "ssl.truststore.certificates",
    type: "password",
    defaultValue: null,
    standing: "honoured",
    documentation: "The authorities that clients' certificates may come from, as PEM; needs `ssl.truststore.type=PEM`.",
  },
  {
    name: "ssl.truststore.location",
    type: "string",
    defaultValue: null,
    standing: "honoured",
    documentation:
      "A PEM file with the authorities that clients' certificates may come from; followed as the keystore is.",
  },
  {
    name: "ssl.truststore.type",
    type: "string",
    defaultValue: "JKS",
    rule: storeType,
    standing: "honoured",
    documentation: "Only `PEM` can be read.",
  },
];

const sasl: readonly BrokerConfigDefinition[] = [
  {
    name: "connection.failed.authentication.delay.ms",
    type: "int",
    defaultValue: "100",
    rule: atLeast(0),
    standing: "honoured",
    documentation: "How long after its request a login that fails is answered.",
  },
  {
    name: "connections.max.reauth.ms",
    type: "long",
    defaultValue: "0",
    standing: "honoured",
    documentation:
      "How long a SASL session lasts unless the client renews it (KIP-368); 0: for ever. Also as `listener.name.<name>.<mechanism>.connections.max.reauth.ms`.",
  },
  {
    name: "sasl.enabled.mechanisms",
    type: "list",
    defaultValue: "GSSAPI",
    standing: "honoured",
    documentation:
      "How clients of SASL listeners may log in: `SCRAM-SHA-256`, `SCRAM-SHA-512`, and over TLS `PLAIN`. Others stop the start, Kafka's default among them.",
  },
  {
    name: "sasl.jaas.config",
    type: "password",
    defaultValue: null,
    standing: "honoured",
    documentation:
      "The users of PLAIN, as `listener.name.<name>.plain.sasl.jaas.config`, beside those with SCRAM credentials. Without the prefix it does nothing, as in Kafka.",
  },
  {
    name: "sasl.server.max.receive.size",
    type: "int",
    defaultValue: "524288",
    standing: "honoured",
    documentation: "Largest request of a client that has not logged in.",
  },
];

/** Broker configurations of listeners that encrypt, or have clients log in. */
export const securityBrokerConfigs: readonly BrokerConfigDefinition[] = [
  ...tls,
  ...sasl,
  ...because("What Java's TLS alone has", [
    taken("ssl.allow.dn.changes", "boolean", "false"),
    taken("ssl.allow.san.changes", "boolean", "false"),
    taken("ssl.keymanager.algorithm", "string", "SunX509"),
    taken("ssl.protocol", "string", "TLSv1.3"),
    taken("ssl.provider", "string", null),
    taken("ssl.secure.random.implementation", "string", null),
    taken("ssl.trustmanager.algorithm", "string", "PKIX"),
    taken("security.providers", "string", null),
  ]),
  ...because("A truststore of PEM has no password, and others cannot be read", [
    taken("ssl.truststore.password", "password", null),
  ]),
  ...because("Brokers are no clients of each other: they share a volume", [
    taken("sasl.client.callback.handler.class", "class", null),
    taken("sasl.login.callback.handler.class", "class", null),
    taken("sasl.login.class", "class", null),
    taken("sasl.login.connect.timeout.ms", "int", null),
    taken("sasl.login.read.timeout.ms", "int", null),
    taken("sasl.login.refresh.buffer.seconds", "short", "300"),
    taken("sasl.login.refresh.min.period.seconds", "short", "60"),
    taken("sasl.login.refresh.window.factor", "double", "0.8"),
    taken("sasl.login.refresh.window.jitter", "double", "0.05"),
    taken("sasl.login.retry.backoff.max.ms", "long", "10000"),
    taken("sasl.login.retry.backoff.ms", "long", "100"),
    taken("sasl.mechanism.controller.protocol", "string", "GSSAPI"),
    taken("sasl.mechanism.inter.broker.protocol", "string", "GSSAPI"),
    taken("security.inter.broker.protocol", "string", "PLAINTEXT"),
    taken("ssl.endpoint.identification.algorithm", "string", "https"),
  ]),
];
