import { type AclBinding, ErrorCode } from "@kaas/core";
import {
  AclCode,
  type messages,
  operationNames,
  patternTypeNames,
  permissionNames,
  resourceTypeNames,
} from "@kaas/core/internal";
import type { KafkaClient } from "../../client/kafka-client.js";
import { refusal } from "../../client/refusal.js";
import { counted } from "../../output/shown.js";
import type { LiveReport } from "../live-report.js";

const EVERY_ACL = {
  resourceTypeFilter: AclCode.ANY,
  resourceNameFilter: null,
  patternTypeFilter: AclCode.ANY,
  principalFilter: null,
  hostFilter: null,
  operation: AclCode.ANY,
  permissionType: AclCode.ANY,
};

/**
 * All ACLs of the cluster.
 *
 * @throws ClusterError when the user may not see them
 */
export async function liveAcls(client: KafkaClient, report: LiveReport): Promise<readonly AclBinding[]> {
  const { errorCode, errorMessage, resources } = await client.call("DescribeAcls", EVERY_ACL);
  if (errorCode === ErrorCode.SECURITY_DISABLED) {
    report.note("brokers look at no ACLs, and tell none: authorizer.class.name is not set");
    return [];
  }
  if (errorCode !== ErrorCode.NONE) throw refusal("ACLs are not shown", errorCode, errorMessage);
  const all = resources.flatMap((resource) => resource.acls.map((acl) => bindingOf(resource, acl)));
  const known = all.filter((acl) => acl !== undefined);
  const unknown = all.length - known.length;
  if (unknown > 0) {
    const are = unknown === 1 ? "is" : "are";
    report.note(`${counted(unknown, "ACL")} of a kind that kaasctl does not know ${are} left out`);
  }
  return known;
}

function bindingOf(
  { resourceType, resourceName, patternType }: messages.DescribeAclsResponseDescribeAclsResource,
  { principal, host, operation, permissionType }: messages.DescribeAclsResponseAclDescription,
): AclBinding | undefined {
  const names = {
    resourceType: resourceTypeNames.get(resourceType),
    patternType: patternTypeNames.get(patternType),
    operation: operationNames.get(operation),
    permission: permissionNames.get(permissionType),
  };
  if (Object.values(names).includes(undefined)) return undefined;
  return { ...(names as Required<typeof names>), resourceName, principal, host } as AclBinding;
}
