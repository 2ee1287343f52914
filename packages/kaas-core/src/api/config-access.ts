import { type Refusal, refuse } from "../errors/refusal.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { RequestContext } from "./api-handler.js";
import { ConfigResourceType } from "./config-resource.js";

/**
 * What stands against a client's looking at or altering the configurations of a resource. Those of brokers, their
 * loggers and client metrics belong to the cluster. A type that does not exist is refused by whoever looks at types.
 */
export function configAccessRefusal(
  { connection }: RequestContext,
  operation: "DESCRIBE_CONFIGS" | "ALTER_CONFIGS",
  resourceType: number,
  resourceName: string,
): Refusal | undefined {
  const { access } = connection;
  switch (resourceType) {
    case ConfigResourceType.TOPIC:
      if (access.may(operation, "TOPIC", resourceName)) return undefined;
      return refuse(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed.");
    case ConfigResourceType.GROUP:
      if (access.may(operation, "GROUP", resourceName)) return undefined;
      return refuse(ErrorCode.GROUP_AUTHORIZATION_FAILED, "Group authorization failed.");
    case ConfigResourceType.BROKER:
    case ConfigResourceType.BROKER_LOGGER:
    case ConfigResourceType.CLIENT_METRICS:
      if (access.mayOnCluster(operation)) return undefined;
      return refuse(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed.");
    default:
      return undefined;
  }
}
