import { isObjectName } from "./object-name.js";

/** The KafkaUser that stands for a user's name in Kafka. */
export interface PrincipalObject {
  /** Name of the KafkaUser. */
  readonly objectName: string;
  /** The user logs in with a certificate of this common name. */
  readonly isByCertificate: boolean;
}

/** Which KafkaUser stands for a user; undefined where none can, as Kubernetes cannot hold the name. */
export function principalObject(username: string): PrincipalObject | undefined {
  const isByCertificate = username.startsWith("CN=");
  const objectName = isByCertificate ? username.slice("CN=".length) : username;
  return isObjectName(objectName) ? { objectName, isByCertificate } : undefined;
}

/** What is said about a name that no KafkaUser can have. */
export function cannotBeAKafkaUser(username: string): string {
  return (
    `users of this cluster are KafkaUsers, and none can stand for '${username}': ` +
    "a name is of lower case letters, digits, '-' and '.', or CN=<such a name>"
  );
}
