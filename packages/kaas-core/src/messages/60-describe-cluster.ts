import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * DescribeCluster (key 60): describes the cluster: brokers, controller, id (KIP-700).
 *
 * - v1: brokers or controllers (KIP-919)
 * - v2: brokers that are fenced (KIP-1073)
 */
export const describeClusterApi: ApiSchema = api(60, "DescribeCluster", "0-2", "0+", {
  request: [
    field("includeClusterAuthorizedOperations", "bool", "0+"),
    field("endpointType", "int8", "1+", { default: 1 }),
    field("includeFencedBrokers", "bool", "2+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    field("endpointType", "int8", "1+", { default: 1 }),
    field("clusterId", "string", "0+"),
    field("controllerId", "int32", "0+", { default: -1 }),
    structs("brokers", "DescribeClusterBroker", "0+", [
      field("brokerId", "int32", "0+"),
      field("host", "string", "0+"),
      field("port", "int32", "0+"),
      field("rack", "string", "0+", { nullable: "0+", default: null }),
      field("isFenced", "bool", "2+"),
    ]),
    field("clusterAuthorizedOperations", "int32", "0+", { default: -2147483648 }),
  ],
});
