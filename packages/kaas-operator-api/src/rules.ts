import type { KafkaCluster, KafkaClusterListener } from "./kafka-cluster.js";
import { type KafkaTopic, type KafkaTopicSpec, topicNameOf } from "./kafka-topic.js";
import type { KafkaUser, KafkaUserAcl, KafkaUserAuthentication, KafkaUserScramCredential } from "./kafka-user.js";
import { type ResourceRules, rule, transition } from "./rule.js";

const TOPIC_NAME_LENGTH_MAX = 249;
const NAME_IN_CEL = "(has(self.spec.topicName) ? self.spec.topicName : self.metadata.name)";

/** Directories of topics lie beside those of the cluster, and beside what is being deleted. */
function isReserved(name: string): boolean {
  return name === "." || name === ".." || name.startsWith("__cluster") || name.startsWith(".deleting-");
}

export const topicRules: ResourceRules = {
  rules: [
    rule<string>(
      "spec.topicName",
      "must not be . or .., nor begin with __cluster or .deleting-: these names are taken on the volume",
      "self != '.' && self != '..' && !self.startsWith('__cluster') && !self.startsWith('.deleting-')",
      (name) => !isReserved(name),
    ),
    rule<KafkaTopic>(
      "",
      `a topic's name has at most ${TOPIC_NAME_LENGTH_MAX} characters: set spec.topicName`,
      `has(self.spec.topicName) || size(self.metadata.name) <= ${TOPIC_NAME_LENGTH_MAX}`,
      (topic) => topicNameOf(topic).length <= TOPIC_NAME_LENGTH_MAX,
    ),
    rule<NonNullable<KafkaTopicSpec["storage"]>>(
      "spec.storage",
      "needs either volumes or volumeSelector, not both",
      "has(self.volumes) != has(self.volumeSelector)",
      (storage) => (storage.volumes === undefined) !== (storage.volumeSelector === undefined),
    ),
  ],
  transitions: [
    transition<number>(
      "spec.partitions",
      "the number of partitions can be raised, but not lowered",
      "self >= oldSelf",
      (now, before) => now >= before,
    ),
    transition<KafkaTopic>(
      "",
      "a topic's name cannot be changed: spec.topicName must stay as it is",
      `${NAME_IN_CEL} == ${NAME_IN_CEL.replaceAll("self", "oldSelf")}`,
      (now, before) => topicNameOf(now) === topicNameOf(before),
    ),
  ],
};

const isScram = (type: string): boolean => type.startsWith("scram-");

/** What Kubernetes takes as the value of a label: the Secret that is made for a user is labelled with its name. */
const USER_WITH_SECRET_LENGTH_MAX = 63;

/** Whether the operator makes a Secret for the user, or has one made. */
const hasSecret = ({ spec: { authentication } }: KafkaUser): boolean =>
  authentication !== undefined &&
  authentication.type !== "tls-external" &&
  authentication.scramCredentials === undefined;

export const userRules: ResourceRules = {
  rules: [
    rule<KafkaUser>(
      "",
      `a user with a password in a Secret, or with a certificate that is issued for it, has a name of at most ${USER_WITH_SECRET_LENGTH_MAX} characters`,
      `!has(self.spec.authentication) || self.spec.authentication.type == 'tls-external' || has(self.spec.authentication.scramCredentials) || size(self.metadata.name) <= ${USER_WITH_SECRET_LENGTH_MAX}`,
      (user) => !hasSecret(user) || user.metadata.name.length <= USER_WITH_SECRET_LENGTH_MAX,
    ),
    rule<KafkaUserAuthentication>(
      "spec.authentication",
      "password and scramCredentials are only for the types scram-sha-512 and scram-sha-256",
      "self.type.startsWith('scram-') || (!has(self.password) && !has(self.scramCredentials))",
      ({ type, password, scramCredentials }) =>
        isScram(type) || (password === undefined && scramCredentials === undefined),
    ),
    rule<KafkaUserAuthentication>(
      "spec.authentication",
      "takes password or scramCredentials, not both",
      "!has(self.password) || !has(self.scramCredentials)",
      ({ password, scramCredentials }) => password === undefined || scramCredentials === undefined,
    ),
    rule<KafkaUserScramCredential>(
      "spec.authentication.scramCredentials.*",
      "storedKey and serverKey must be as long as the mechanism's hash: 32 bytes for scram-sha-256, 64 for scram-sha-512",
      "[self.storedKey, self.serverKey].all(key, size(key) == (self.mechanism == 'scram-sha-256' ? 44 : 88))",
      ({ mechanism, storedKey, serverKey }) =>
        [storedKey, serverKey].every((key) => key.length === (mechanism === "scram-sha-256" ? 44 : 88)),
    ),
    rule<KafkaUserAcl["resource"]>(
      "spec.authorization.acls.*.resource",
      "needs a name, unless it is the cluster, which has none",
      "(self.type == 'cluster') != has(self.name)",
      ({ type, name }) => (type === "cluster") !== (name !== undefined),
    ),
  ],
  transitions: [],
};

const needsTls = (listener: KafkaClusterListener): boolean =>
  listener.type === "tlsroute" || ["tls", "plain"].includes(listener.authentication?.type ?? "");

const listeners = "spec.listeners.*";

export const clusterRules: ResourceRules = {
  rules: [
    rule<KafkaCluster["spec"]["listeners"]>(
      "spec.listeners",
      "two listeners have the same port",
      "self.all(a, self.exists_one(b, b.port == a.port))",
      (all) => new Set(all.map(({ port }) => port)).size === all.length,
    ),
    rule<KafkaCluster["spec"]>(
      "spec",
      "takes certificate or certificateSecret, not both",
      "!has(self.certificate) || !has(self.certificateSecret)",
      ({ certificate, certificateSecret }) => certificate === undefined || certificateSecret === undefined,
    ),
    rule<KafkaClusterListener>(
      listeners,
      "needs tls: true. A Gateway tells brokers apart by the host name that TLS carries; certificates come with TLS; and the mechanism plain shows the password",
      "self.tls || (self.type != 'tlsroute' && !(has(self.authentication) && self.authentication.type in ['tls', 'plain']))",
      (listener) => listener.tls || !needsTls(listener),
    ),
    rule<KafkaClusterListener>(
      listeners,
      "a tlsroute needs configuration.gateway, configuration.bootstrapHost and configuration.brokerHostTemplate",
      "self.type != 'tlsroute' || (has(self.configuration) && has(self.configuration.gateway) && has(self.configuration.bootstrapHost) && has(self.configuration.brokerHostTemplate))",
      ({ type, configuration: c }) =>
        type !== "tlsroute" ||
        (c?.gateway !== undefined && c.bootstrapHost !== undefined && c.brokerHostTemplate !== undefined),
    ),
    rule<KafkaClusterListener>(
      listeners,
      "configuration is for listeners that are reached from outside; this one is internal",
      "self.type != 'internal' || !has(self.configuration)",
      ({ type, configuration }) => type !== "internal" || configuration === undefined,
    ),
    rule<KafkaClusterListener>(
      listeners,
      "configuration.gateway is only for the type tlsroute",
      "self.type == 'tlsroute' || !has(self.configuration) || !has(self.configuration.gateway)",
      ({ type, configuration: c }) => type === "tlsroute" || c?.gateway === undefined,
    ),
    rule<KafkaClusterListener>(
      listeners,
      "configuration.loadBalancerClass and configuration.loadBalancerSourceRanges are only for the type loadbalancer",
      "self.type == 'loadbalancer' || !has(self.configuration) || (!has(self.configuration.loadBalancerClass) && !has(self.configuration.loadBalancerSourceRanges))",
      ({ type, configuration: c }) =>
        type === "loadbalancer" || (c?.loadBalancerClass === undefined && c?.loadBalancerSourceRanges === undefined),
    ),
    rule<KafkaClusterListener>(
      listeners,
      "configuration.externalTrafficPolicy is only for the types loadbalancer and nodeport",
      "self.type in ['loadbalancer', 'nodeport'] || !has(self.configuration) || !has(self.configuration.externalTrafficPolicy)",
      ({ type, configuration: c }) =>
        type === "loadbalancer" || type === "nodeport" || c?.externalTrafficPolicy === undefined,
    ),
    rule<KafkaClusterListener>(
      listeners,
      "configuration.bootstrapNodePort and configuration.nodePorts are only for the type nodeport",
      "self.type == 'nodeport' || !has(self.configuration) || (!has(self.configuration.bootstrapNodePort) && !has(self.configuration.nodePorts))",
      ({ type, configuration: c }) =>
        type === "nodeport" || (c?.bootstrapNodePort === undefined && c?.nodePorts === undefined),
    ),
  ],
  transitions: [],
};

export const assignmentsRules: ResourceRules = { rules: [], transitions: [] };
