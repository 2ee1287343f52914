/**
 * Resources that are fine, and resources that are not. Validation has to judge them so, and an API server that has the
 * definitions too: the suite on a real one goes through the same list.
 */
import { API_GROUP_VERSION } from "../src/api-group.js";

export interface ResourceExample {
  readonly title: string;
  readonly resource: object;
  /** What it replaces. */
  readonly previous?: object;
  /** Where the problem is; undefined where there is none. */
  readonly problem?: { readonly path: string; readonly message: RegExp };
}

const resource = (kind: string, spec: object, name = "orders"): object => ({
  apiVersion: API_GROUP_VERSION,
  kind,
  metadata: { name },
  spec,
});
const topic = (spec: object, name?: string): object => resource("KafkaTopic", spec, name);
const user = (spec: object, name?: string): object => resource("KafkaUser", spec, name);
const cluster = (listener: object, more: object = {}): object =>
  resource("KafkaCluster", { listeners: [{ name: "plain", port: 9092, type: "internal", ...listener }], ...more });

/** 32 and 64 bytes. */
const shortKey = `${"A".repeat(43)}=`;
const longKey = `${"A".repeat(86)}==`;
const scramKeys = { iterations: 4096, salt: "c2FsdA==", storedKey: longKey, serverKey: longKey };
const shortKeys = { ...scramKeys, storedKey: shortKey, serverKey: shortKey };
const gateway = {
  gateway: { name: "edge", namespace: "gateways", sectionName: "tls" },
  bootstrapHost: "kafka.example.com",
  brokerHostTemplate: "broker-{nodeId}.kafka.example.com",
};

export const goodExamples: readonly ResourceExample[] = [
  { title: "a topic that says nothing", resource: topic({}) },
  {
    title: "a topic that says all",
    resource: topic({
      topicName: "Orders_v1",
      partitions: 12,
      config: { "retention.ms": 1000, preallocate: true, "cleanup.policy": "compact" },
      storage: { volumes: ["data", "fast"] },
    }),
  },
  {
    title: "volumes by their labels",
    resource: topic({ storage: { volumeSelector: { matchLabels: { disk: "ssd" } } } }),
  },
  { title: "more partitions", resource: topic({ partitions: 3 }), previous: topic({ partitions: 2 }) },
  { title: "a name that is written out", resource: topic({ topicName: "orders" }), previous: topic({}) },
  { title: "a user that only has a name", resource: user({}) },
  {
    title: "a user that has all",
    resource: user({
      authentication: { type: "scram-sha-512", password: { valueFrom: { secretKeyRef: { name: "s", key: "k" } } } },
      authorization: {
        type: "simple",
        acls: [
          { resource: { type: "topic", name: "orders", patternType: "prefix" }, operations: ["Read", "Describe"] },
          { type: "deny", host: "10.0.0.1", resource: { type: "cluster" }, operations: ["All"] },
        ],
      },
      quotas: { producerMaxByteRatePerBroker: 1048576, consumerMaxByteRatePerBroker: 1, requestPercentage: 12.5 },
    }),
  },
  {
    title: "a user with keys instead of a password",
    resource: user({
      authentication: {
        type: "scram-sha-256",
        scramCredentials: [
          { mechanism: "scram-sha-256", ...shortKeys },
          { mechanism: "scram-sha-512", ...scramKeys },
        ],
      },
    }),
  },
  {
    title: "a long name of a user without a Secret",
    resource: user({ authentication: { type: "tls-external" } }, "u".repeat(200)),
  },
  {
    title: "a name of a user with a Secret that is as long as a label may be",
    resource: user({ authentication: { type: "scram-sha-512" } }, "u".repeat(63)),
  },
  { title: "a user with a certificate", resource: user({ authentication: { type: "tls" } }) },
  { title: "an internal listener", resource: cluster({}) },
  { title: "a Gateway", resource: cluster({ type: "tlsroute", tls: true, configuration: gateway }) },
  {
    title: "load balancers",
    resource: cluster({ type: "loadbalancer", configuration: { loadBalancerSourceRanges: ["10.0.0.0/8"] } }),
  },
  {
    title: "ports of nodes",
    resource: cluster({ type: "nodeport", configuration: { nodePorts: [{ nodeId: 0, nodePort: 30000 }] } }),
  },
  {
    title: "certificates",
    resource: cluster(
      { tls: true, authentication: { type: "tls" } },
      { replicas: 3, certificate: { issuerRef: { name: "ca" } }, clientsCa: { issuerRef: { name: "clients" } } },
    ),
  },
  { title: "a certificate of one's own", resource: cluster({ tls: true }, { certificateSecret: "mine" }) },
  {
    title: "assignments",
    resource: { apiVersion: API_GROUP_VERSION, kind: "KafkaClusterAssignments", metadata: { name: "orders" } },
  },
];

export const badExamples: readonly ResourceExample[] = [
  {
    title: "no partitions",
    resource: topic({ partitions: 0 }),
    problem: { path: "spec.partitions", message: /at least 1|greater than or equal to 1/ },
  },
  {
    title: "half a partition",
    resource: topic({ partitions: 1.5 }),
    problem: { path: "spec.partitions", message: /whole number|must be of type integer/ },
  },
  {
    title: "fewer partitions",
    resource: topic({ partitions: 1 }),
    previous: topic({ partitions: 2 }),
    problem: { path: "spec.partitions", message: /can be raised, but not lowered/ },
  },
  {
    title: "the default number of partitions, which is fewer",
    resource: topic({}),
    previous: topic({ partitions: 2 }),
    problem: { path: "spec.partitions", message: /can be raised, but not lowered/ },
  },
  {
    title: "another name",
    resource: topic({ topicName: "Orders" }),
    previous: topic({}),
    problem: { path: "", message: /name cannot be changed/ },
  },
  {
    title: "a name taken back",
    resource: topic({}),
    previous: topic({ topicName: "Orders" }),
    problem: { path: "", message: /name cannot be changed/ },
  },
  {
    title: "a name that Kafka does not have",
    resource: topic({ topicName: "orders/v1" }),
    problem: { path: "spec.topicName", message: /match/ },
  },
  {
    title: "the name of a directory of the cluster",
    resource: topic({ topicName: "__cluster" }),
    problem: { path: "spec.topicName", message: /taken on the volume/ },
  },
  {
    title: "the directory above",
    resource: topic({ topicName: ".." }),
    problem: { path: "spec.topicName", message: /taken on the volume/ },
  },
  {
    title: "a resource's name that is too long for a topic",
    resource: topic({}, "a".repeat(250)),
    problem: { path: "", message: /at most 249 characters/ },
  },
  {
    title: "volumes twice",
    resource: topic({ storage: { volumes: ["data"], volumeSelector: { matchLabels: { a: "b" } } } }),
    problem: { path: "spec.storage", message: /either volumes or volumeSelector/ },
  },
  {
    title: "no volumes",
    resource: topic({ storage: {} }),
    problem: { path: "spec.storage", message: /either volumes or volumeSelector/ },
  },
  {
    title: "a selector that says nothing",
    resource: topic({ storage: { volumeSelector: { matchLabels: {} } } }),
    problem: { path: "spec.storage.volumeSelector.matchLabels", message: /at least (one|1)/ },
  },
  {
    title: "a mechanism that there is not",
    resource: user({ authentication: { type: "scram" } }),
    problem: { path: "spec.authentication.type", message: /scram-sha-512/ },
  },
  {
    title: "a password for a certificate",
    resource: user({
      authentication: { type: "tls", password: { valueFrom: { secretKeyRef: { name: "s", key: "k" } } } },
    }),
    problem: { path: "spec.authentication", message: /only for the types/ },
  },
  {
    title: "a password and keys",
    resource: user({
      authentication: {
        type: "scram-sha-512",
        password: { valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
        scramCredentials: [{ mechanism: "scram-sha-512", ...scramKeys }],
      },
    }),
    problem: { path: "spec.authentication", message: /not both/ },
  },
  {
    title: "a long name of a user with a password",
    resource: user({ authentication: { type: "scram-sha-512" } }, "u".repeat(64)),
    problem: { path: "", message: /at most 63 characters/ },
  },
  {
    title: "a long name of a user with a certificate",
    resource: user({ authentication: { type: "tls" } }, "u".repeat(64)),
    problem: { path: "", message: /at most 63 characters/ },
  },
  {
    title: "too few iterations",
    resource: user({
      authentication: {
        type: "scram-sha-512",
        scramCredentials: [{ mechanism: "scram-sha-512", ...scramKeys, iterations: 1000 }],
      },
    }),
    problem: { path: "spec.authentication.scramCredentials[0].iterations", message: /4096/ },
  },
  {
    title: "keys of another mechanism",
    resource: user({
      authentication: {
        type: "scram-sha-512",
        scramCredentials: [{ mechanism: "scram-sha-512", ...scramKeys, serverKey: shortKey }],
      },
    }),
    problem: { path: "spec.authentication.scramCredentials[0]", message: /as long as the mechanism's hash/ },
  },
  {
    title: "a key that is no base64",
    resource: user({
      authentication: {
        type: "scram-sha-512",
        scramCredentials: [{ mechanism: "scram-sha-512", ...scramKeys, salt: "c2FsdA" }],
      },
    }),
    problem: { path: "spec.authentication.scramCredentials[0].salt", message: /match/ },
  },
  {
    title: "a topic without a name",
    resource: user({
      authorization: { type: "simple", acls: [{ resource: { type: "topic" }, operations: ["Read"] }] },
    }),
    problem: { path: "spec.authorization.acls[0].resource", message: /needs a name/ },
  },
  {
    title: "a cluster with a name",
    resource: user({
      authorization: { type: "simple", acls: [{ resource: { type: "cluster", name: "x" }, operations: ["Alter"] }] },
    }),
    problem: { path: "spec.authorization.acls[0].resource", message: /unless it is the cluster/ },
  },
  {
    title: "an ACL that allows nothing",
    resource: user({
      authorization: { type: "simple", acls: [{ resource: { type: "topic", name: "x" }, operations: [] }] },
    }),
    problem: { path: "spec.authorization.acls[0].operations", message: /at least 1/ },
  },
  {
    title: "a quota of nothing",
    resource: user({ quotas: { requestPercentage: 0 } }),
    problem: { path: "spec.quotas.requestPercentage", message: /more than 0|greater than 0/ },
  },
  {
    title: "two listeners at one port",
    resource: resource("KafkaCluster", {
      listeners: [
        { name: "a", port: 9092, type: "internal" },
        { name: "b", port: 9092, type: "internal" },
      ],
    }),
    problem: { path: "spec.listeners", message: /same port/ },
  },
  {
    title: "two certificates for the brokers",
    resource: cluster({}, { certificate: { issuerRef: { name: "ca" } }, certificateSecret: "mine" }),
    problem: { path: "spec", message: /takes certificate or certificateSecret, not both/ },
  },
  {
    title: "a Gateway without TLS",
    resource: cluster({ type: "tlsroute", configuration: gateway }),
    problem: { path: "spec.listeners[0]", message: /needs tls: true/ },
  },
  {
    title: "certificates without TLS",
    resource: cluster({ authentication: { type: "tls" } }),
    problem: { path: "spec.listeners[0]", message: /needs tls: true/ },
  },
  {
    title: "a TLSRoute without a Gateway",
    resource: cluster({ type: "tlsroute", tls: true }),
    problem: { path: "spec.listeners[0]", message: /needs configuration\.gateway/ },
  },
  {
    title: "host names that are all the same",
    resource: cluster({ type: "loadbalancer", configuration: { brokerHostTemplate: "kafka.example.com" } }),
    problem: { path: "spec.listeners[0].configuration.brokerHostTemplate", message: /match/ },
  },
  {
    title: "a way from outside to what is inside",
    resource: cluster({ configuration: { bootstrapHost: "kafka.example.com" } }),
    problem: { path: "spec.listeners[0]", message: /this one is internal/ },
  },
  {
    title: "a Gateway for a load balancer",
    resource: cluster({ type: "loadbalancer", configuration: { gateway: { name: "g" } } }),
    problem: { path: "spec.listeners[0]", message: /only for the type tlsroute/ },
  },
  {
    title: "a load balancer's fields for ports of nodes",
    resource: cluster({ type: "nodeport", configuration: { loadBalancerClass: "x.io/y" } }),
    problem: { path: "spec.listeners[0]", message: /only for the type loadbalancer/ },
  },
  {
    title: "a policy of load balancers for a Gateway",
    resource: cluster({
      type: "tlsroute",
      tls: true,
      configuration: { ...gateway, externalTrafficPolicy: "Local" },
    }),
    problem: { path: "spec.listeners[0]", message: /only for the types loadbalancer and nodeport/ },
  },
  {
    title: "ports of nodes for a load balancer",
    resource: cluster({ type: "loadbalancer", configuration: { bootstrapNodePort: 30000 } }),
    problem: { path: "spec.listeners[0]", message: /only for the type nodeport/ },
  },
  {
    title: "no listeners",
    resource: resource("KafkaCluster", { listeners: [] }),
    problem: { path: "spec.listeners", message: /at least 1/ },
  },
];
