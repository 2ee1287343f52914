/**
 * DescribeCluster (key 60), versions 0-2.
 *
 * Tells an admin client which brokers there are (KIP-700).
 *
 * - v1: whether brokers or controllers are meant (KIP-919); controllers have no listeners of their own here.
 * - v2: whether fenced brokers are wanted too (KIP-1073): those that drain, or are not heard of.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type { DescribeClusterRequest, DescribeClusterResponseInit } from "../messages/generated/index.js";
import { CLUSTER_NAME } from "../security/access.js";
import { authorizedOperations, OPERATIONS_NOT_ASKED } from "../security/authorized-operations.js";
import type { ApiHandler, ClientConnection } from "./api-handler.js";
import { controllerIdFor, describedEndpoints } from "./cluster-endpoints.js";

const EndpointType = { BROKER: 1, CONTROLLER: 2 } as const;

export const describeCluster: ApiHandler<DescribeClusterRequest, DescribeClusterResponseInit> = {
  key: 60,
  versionMin: 0,
  versionMax: 2,

  handle(context, request) {
    const { broker, connection } = context;
    if (request.endpointType !== EndpointType.BROKER) return refuseEndpointType(request.endpointType);
    return {
      errorCode: ErrorCode.NONE,
      endpointType: EndpointType.BROKER,
      clusterId: broker.clusterId,
      controllerId: controllerIdFor(context),
      brokers: describedEndpoints(context, request.includeFencedBrokers),
      clusterAuthorizedOperations: request.includeClusterAuthorizedOperations
        ? clusterOperations(connection)
        : OPERATIONS_NOT_ASKED,
    };
  },

  fail(_request, errorCode) {
    return { errorCode, clusterId: "", brokers: [] };
  },
};

function refuseEndpointType(endpointType: number): DescribeClusterResponseInit {
  const known = endpointType === EndpointType.CONTROLLER;
  return {
    errorCode: known ? ErrorCode.MISMATCHED_ENDPOINT_TYPE : ErrorCode.UNSUPPORTED_ENDPOINT_TYPE,
    errorMessage: known
      ? "This listener serves brokers; there are no controller endpoints"
      : `Unsupported endpoint type ${endpointType}`,
    clusterId: "",
    brokers: [],
  };
}

/** None for those who may not look at the cluster, as in Kafka. */
export function clusterOperations({ access }: ClientConnection): number {
  return access.mayOnCluster("DESCRIBE") ? authorizedOperations(access, "CLUSTER", CLUSTER_NAME) : 0;
}
