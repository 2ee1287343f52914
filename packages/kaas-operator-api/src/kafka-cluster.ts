import * as z from "zod";
import { conditionsSchema, observedGenerationSchema } from "./conditions.js";
import { header } from "./metadata.js";

/** How clients reach a listener. */
export const LISTENER_TYPES = ["internal", "loadbalancer", "nodeport", "tlsroute"] as const;

/** How many brokers a cluster may have: each listener that is reachable from outside has a Service for every one. */
export const REPLICAS_MAX = 100;

const port = z.int().min(1).max(65535);
const stringMap = z.record(z.string(), z.string());
const dnsName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/);
/** A host name in which `{nodeId}` stands for the broker's number. */
const hostTemplate = z
  .string()
  .max(253)
  .regex(/^[a-z0-9.-]*\{nodeId\}[a-z0-9.-]*$/);

const issuerRefSchema = z
  .strictObject({
    name: z.string().min(1).max(253).describe("Name of the issuer."),
    kind: z.enum(["Issuer", "ClusterIssuer"]).default("Issuer").describe("Whether it is one of this namespace."),
    group: z.string().min(1).max(253).default("cert-manager.io").describe("Its API group."),
  })
  .describe("An issuer of cert-manager.");

const gatewayRefSchema = z
  .strictObject({
    name: dnsName.describe("Name of the Gateway."),
    namespace: dnsName.optional().describe("Its namespace; this one, if it is left out."),
    sectionName: dnsName
      .optional()
      .describe("The listener of the Gateway to attach to; every one that fits, if it is left out."),
  })
  .describe("A Gateway of the Gateway API that passes TLS through.");

const listenerConfigurationSchema = z
  .strictObject({
    bootstrapHost: dnsName.optional().describe("Host name that clients begin with."),
    brokerHostTemplate: hostTemplate
      .optional()
      .describe("Host name of each broker; {nodeId} stands for its number, such as broker-{nodeId}.kafka.example.com."),
    advertisedPort: port
      .optional()
      .describe("Port that clients reach brokers at from outside, where it is not the listener's own."),
    gateway: gatewayRefSchema.optional(),
    annotations: stringMap
      .optional()
      .describe("Annotations of the Services, such as those of external-dns or of a cloud."),
    labels: stringMap.optional().describe("Labels of the Services."),
    loadBalancerClass: z.string().min(1).max(316).optional().describe("The kind of load balancer."),
    loadBalancerSourceRanges: z
      .array(z.string().min(1).max(64))
      .max(256)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .optional()
      .describe("Networks that may reach the load balancers, in CIDR notation."),
    externalTrafficPolicy: z
      .enum(["Cluster", "Local"])
      .optional()
      .describe("Whether nodes pass connections on to other nodes."),
    bootstrapNodePort: z.int().min(1).max(65535).optional().describe("Port of the nodes that clients begin with."),
    nodePorts: z
      .array(
        z.strictObject({
          nodeId: z
            .int()
            .min(0)
            .max(REPLICAS_MAX - 1)
            .describe("The broker's number."),
          nodePort: port.describe("Port of the nodes."),
        }),
      )
      .max(REPLICAS_MAX)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["nodeId"] })
      .optional()
      .describe("Ports of the nodes for brokers that should have a certain one."),
  })
  .describe("How the listener is reached from outside.");

const listenerSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,10}$/)
    .describe("Name of the listener."),
  port: z.int().min(1024).max(65535).describe("Port that brokers listen on."),
  type: z
    .enum(LISTENER_TYPES)
    .describe(
      "internal: within the cluster. loadbalancer: one load balancer a broker. nodeport: a port of every node a broker. tlsroute: TLSRoutes of a Gateway.",
    ),
  tls: z.boolean().default(false).describe("Whether connections are encrypted."),
  authentication: z
    .strictObject({
      type: z.enum(["scram-sha-512", "scram-sha-256", "plain", "tls"]).describe("How clients prove who they are."),
    })
    .optional()
    .describe("Without it, whoever connects is User:ANONYMOUS."),
  configuration: listenerConfigurationSchema.optional(),
});

const certificateSchema = z
  .strictObject({
    issuerRef: issuerRefSchema.describe("Who signs the brokers' certificate."),
    dnsNames: z
      .array(z.string().min(1).max(253))
      .max(100)
      .meta({ "x-kubernetes-list-type": "set" })
      .optional()
      .describe("Further names in it."),
    duration: z
      .string()
      .regex(/^([0-9]+(h|m|s))+$/)
      .optional()
      .describe("How long it is valid, such as 2160h."),
    renewBefore: z
      .string()
      .regex(/^([0-9]+(h|m|s))+$/)
      .optional()
      .describe("How long before its end it is replaced."),
  })
  .describe("A certificate for all brokers, from cert-manager. Its Secret is <cluster>-broker-tls.");

const specSchema = z
  .strictObject({
    replicas: z
      .int()
      .min(1)
      .max(REPLICAS_MAX)
      .default(1)
      .describe(
        "How many brokers there are. The StatefulSet of the same name runs them: change replicas of the chart, which sets both.",
      ),
    listeners: z
      .array(listenerSchema)
      .min(1)
      .max(16)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
      .describe(
        "What clients connect to. Brokers are told of it by the chart: change listeners of the chart, which sets both.",
      ),
    certificate: certificateSchema.optional(),
    certificateSecret: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe(
        "A Secret of yours with the brokers' certificate, instead of one from cert-manager. Clients are given its ca.crt.",
      ),
    clientsCa: z
      .strictObject({ issuerRef: issuerRefSchema.describe("Who signs the certificates of KafkaUsers of type tls.") })
      .optional()
      .describe("Where users of type tls get their certificates from."),
    volumes: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/)
            .describe("Name of the volume: the last part of its path."),
          labels: stringMap.optional().describe("Labels that topics can choose it by."),
        }),
      )
      .max(64)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
      .optional()
      .describe("Labels of volumes. That a volume is there is a matter of the pods that mount it."),
  })
  .describe(
    "What the cluster should be. The chart writes it, together with the brokers; a namespace has one, of the name that the release has.",
  );

const addressSchema = z.object({ host: z.string().describe("Host name or address."), port: port.describe("Port.") });

const statusSchema = z
  .object({
    observedGeneration: observedGenerationSchema.optional(),
    conditions: conditionsSchema.optional(),
    replicas: z.int().min(0).optional().describe("How many brokers have what they need to be reached."),
    clusterId: z.string().optional().describe("Kafka's cluster id."),
    bootstrapServers: z
      .string()
      .optional()
      .describe(
        "What clients have as bootstrap.servers, of every listener, such as plain=kaas-bootstrap.kafka.svc:9092.",
      ),
    listeners: z
      .array(
        z.object({
          name: z.string().describe("Name of the listener."),
          bootstrapServers: z.string().describe("What clients have as bootstrap.servers."),
          brokers: z
            .array(z.object({ nodeId: z.int().min(0).describe("The broker's number."), ...addressSchema.shape }))
            .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["nodeId"] })
            .optional()
            .describe("Where each broker is reached."),
        }),
      )
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
      .optional()
      .describe("How clients reach each listener."),
  })
  .describe("What the cluster is.");

/** The schema of a KafkaCluster, of which its CustomResourceDefinition is made. */
export const kafkaClusterSchema = z.object({
  ...header("KafkaCluster"),
  spec: specSchema,
  status: statusSchema.optional(),
});

/** A cluster, as the API server answers with it: what has a default is filled in. */
export type KafkaCluster = z.output<typeof kafkaClusterSchema>;
/** A cluster, as people write it. */
export type KafkaClusterInput = z.input<typeof kafkaClusterSchema>;
/** What a cluster should be. */
export type KafkaClusterSpec = z.output<typeof specSchema>;
/** What a cluster is, as the operator says. */
export type KafkaClusterStatus = z.output<typeof statusSchema>;
/** A listener of all brokers: its port, and how clients reach it. */
export type KafkaClusterListener = z.output<typeof listenerSchema>;
