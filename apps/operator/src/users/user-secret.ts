import { isUtf8 } from "node:buffer";
import type { ScramMechanism } from "@kaas/core";
import type { KafkaUser } from "@kaas/operator-api";
import { AUTHORITY_KEY } from "../clusters/cluster-authority.js";
import { managedLabels, ownedBy, USER_LABEL } from "../kubernetes/ownership.js";
import type { Secret } from "../kubernetes/resources.js";

/** The key of a user's Secret that its password is under. */
export const PASSWORD_KEY = "password";

/** Name of the Secret with all that a client needs to log in. */
export function userSecretName(user: KafkaUser): string {
  return `${user.metadata.name}-kafka-credentials`;
}

/** What a client needs to know of the cluster, as far as it is known. */
export interface UserSecretExtras {
  readonly bootstrapServers?: string | undefined;
  /** The authority that brokers' certificates are checked against, as PEM. */
  readonly authority?: string | undefined;
}

/** The Secret of a user who logs in by password; `sasl.jaas.config` is ready for a Java client. */
export function userSecret(
  user: KafkaUser,
  password: string,
  mechanism: ScramMechanism,
  { bootstrapServers, authority }: UserSecretExtras,
): Secret {
  const { name: username, namespace } = user.metadata;
  const data: Record<string, string> = {
    username,
    [PASSWORD_KEY]: password,
    "sasl.mechanism": mechanism,
    "sasl.jaas.config": jaasConfig(username, password),
    ...(bootstrapServers === undefined ? {} : { "bootstrap.servers": bootstrapServers }),
    ...(authority === undefined ? {} : { [AUTHORITY_KEY]: authority }),
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: userSecretName(user),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...managedLabels, [USER_LABEL]: username },
      ownerReferences: [ownedBy(user)],
    },
    type: "Opaque",
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encode(value)])),
  };
}

/** Whether what is behind a key can be a password: text without what no client sends, such as a line break at its end. */
export function isPassword(secret: Secret | undefined, key: string): boolean {
  const bytes = Buffer.from(secret?.data?.[key] ?? "", "base64");
  return isUtf8(bytes) && !/\p{Cc}/u.test(bytes.toString("utf8"));
}

/** JAAS quotes as Java does. */
function jaasConfig(username: string, password: string): string {
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;
  return `org.apache.kafka.common.security.scram.ScramLoginModule required username=${quoted(username)} password=${quoted(password)};`;
}

function encode(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
