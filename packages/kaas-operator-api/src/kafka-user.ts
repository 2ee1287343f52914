import * as z from "zod";
import { conditionsSchema, observedGenerationSchema } from "./conditions.js";
import { header } from "./metadata.js";

/** How a user may prove who it is. */
export const AUTHENTICATION_TYPES = ["scram-sha-512", "scram-sha-256", "tls", "tls-external"] as const;

/** What a user may do, by Strimzi's names for Kafka's operations. */
export const ACL_OPERATIONS = [
  "Read",
  "Write",
  "Create",
  "Delete",
  "Alter",
  "Describe",
  "ClusterAction",
  "AlterConfigs",
  "DescribeConfigs",
  "IdempotentWrite",
  "All",
] as const;

/** What an ACL may be about. */
export const ACL_RESOURCE_TYPES = ["topic", "group", "cluster", "transactionalId", "user", "delegationToken"] as const;

const base64 = z
  .string()
  .max(1368)
  .regex(/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/);
/** A key is as long as the hash of its mechanism: 32 or 64 bytes. */
const scramKey = z.string().regex(/^([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)$/);

const scramCredentialSchema = z.strictObject({
  mechanism: z.enum(["scram-sha-512", "scram-sha-256"]).describe("The mechanism that the keys are for."),
  iterations: z.int().min(4096).max(16384).describe("How often the password was hashed."),
  salt: base64.describe("What the password was hashed with, in base64."),
  storedKey: scramKey.describe("SCRAM's StoredKey, in base64."),
  serverKey: scramKey.describe("SCRAM's ServerKey, in base64."),
});

const authenticationSchema = z
  .strictObject({
    type: z
      .enum(AUTHENTICATION_TYPES)
      .describe(
        "scram-sha-512 or scram-sha-256: a password. tls: a client certificate that the operator has issued. tls-external: a client certificate that comes from elsewhere, for CN=<name of this resource>.",
      ),
    password: z
      .strictObject({
        valueFrom: z
          .strictObject({
            secretKeyRef: z
              .strictObject({
                name: z.string().min(1).max(253).describe("Name of the Secret."),
                key: z.string().min(1).max(253).describe("The key in it that holds the password."),
              })
              .describe("A key of a Secret in the same namespace."),
          })
          .describe("Where the password comes from."),
      })
      .optional()
      .describe("The password of a SCRAM user. Without it, one is generated."),
    scramCredentials: z
      .array(scramCredentialSchema)
      .min(1)
      .max(2)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["mechanism"] })
      .optional()
      .describe(
        "Keys instead of a password, as Kafka's AlterUserScramCredentials sets them. Nobody knows the password then, so there is no Secret.",
      ),
  })
  .describe("How the user proves who it is. Without it, the resource carries only ACLs and quotas.");

const aclSchema = z.strictObject({
  type: z
    .enum(["allow", "deny"])
    .default("allow")
    .describe("Whether the operations are allowed, or denied. What is denied stays so, whatever else allows it."),
  resource: z
    .strictObject({
      type: z.enum(ACL_RESOURCE_TYPES).describe("What the ACL is about."),
      name: z
        .string()
        .min(1)
        .max(1024)
        .optional()
        .describe("The name of the resource; * for all. The cluster has none."),
      patternType: z
        .enum(["literal", "prefix"])
        .default("literal")
        .describe("literal: the very name. prefix: every name that begins with it."),
    })
    .describe("What the ACL is about."),
  host: z.string().min(1).max(253).default("*").describe("The address that the client must come from; * for any."),
  operations: z
    .array(z.enum(ACL_OPERATIONS))
    .min(1)
    .max(ACL_OPERATIONS.length)
    .meta({ "x-kubernetes-list-type": "set" })
    .describe("What is allowed or denied."),
});

const authorizationSchema = z
  .strictObject({
    type: z.literal("simple").describe("simple: Kafka's ACLs."),
    acls: z
      .array(aclSchema)
      .max(1000)
      .default([])
      .meta({ "x-kubernetes-list-type": "atomic" })
      .describe("The ACLs of this user."),
  })
  .describe("What the user may do.");

const quotasSchema = z
  .strictObject({
    producerMaxByteRatePerBroker: z
      .int()
      .min(1)
      .optional()
      .describe("Bytes a second that the user may produce to each broker."),
    consumerMaxByteRatePerBroker: z
      .int()
      .min(1)
      .optional()
      .describe("Bytes a second that the user may fetch from each broker."),
    requestPercentage: z
      .number()
      .positive()
      .optional()
      .describe("Share of a broker's time for requests that the user may take, in percent of one thread."),
    controllerMutationRate: z
      .number()
      .positive()
      .optional()
      .describe("Partitions a second that the user may create or delete."),
  })
  .describe("How much the user may do. What goes beyond is slowed down.");

const specSchema = z
  .strictObject({
    authentication: authenticationSchema.optional(),
    authorization: authorizationSchema.optional(),
    quotas: quotasSchema.optional(),
  })
  .describe("What the user should be.");

const statusSchema = z
  .object({
    observedGeneration: observedGenerationSchema.optional(),
    conditions: conditionsSchema.optional(),
    username: z.string().optional().describe("The user's name in Kafka: of the principal User:<name>."),
    secret: z.string().optional().describe("The Secret with all that a client needs to log in."),
  })
  .describe("What the user is.");

/** The schema of a KafkaUser, of which its CustomResourceDefinition is made. */
export const kafkaUserSchema = z.object({
  ...header("KafkaUser"),
  spec: specSchema,
  status: statusSchema.optional(),
});

/** A user, as the API server answers with it: what has a default is filled in. */
export type KafkaUser = z.output<typeof kafkaUserSchema>;
/** A user, as people write it. */
export type KafkaUserInput = z.input<typeof kafkaUserSchema>;
/** What a user should be. */
export type KafkaUserSpec = z.output<typeof specSchema>;
/** What a user is, as the operator says. */
export type KafkaUserStatus = z.output<typeof statusSchema>;
/** How a user proves who it is. */
export type KafkaUserAuthentication = z.output<typeof authenticationSchema>;
/** The keys of a password for one mechanism (RFC 5802). */
export type KafkaUserScramCredential = z.output<typeof scramCredentialSchema>;
/** What a user may do, or may not, with one resource, or with all that begin alike. */
export type KafkaUserAcl = z.output<typeof aclSchema>;
/** How much a user may do; what is absent is not limited. */
export type KafkaUserQuotas = z.output<typeof quotasSchema>;

/** The name of a user's principal in Kafka, without `User:`. One that logs in by certificate is named by its subject. */
export function usernameOf(user: Pick<KafkaUserInput, "metadata" | "spec">): string {
  const type = user.spec.authentication?.type;
  return type === "tls" || type === "tls-external" ? `CN=${user.metadata.name}` : user.metadata.name;
}
