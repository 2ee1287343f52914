import type { AclBinding, AclOperation, AclResourceType } from "@kaas/core";
import type { KafkaUserAcl } from "@kaas/operator-api";

type Operation = KafkaUserAcl["operations"][number];
type ResourceType = KafkaUserAcl["resource"]["type"];

/** Operations by Kafka's name and by that of a KafkaUser. What is missing here, a KafkaUser cannot say. */
const OPERATIONS: ReadonlyMap<AclOperation, Operation> = new Map<AclOperation, Operation>([
  ["ALL", "All"],
  ["READ", "Read"],
  ["WRITE", "Write"],
  ["CREATE", "Create"],
  ["DELETE", "Delete"],
  ["ALTER", "Alter"],
  ["DESCRIBE", "Describe"],
  ["CLUSTER_ACTION", "ClusterAction"],
  ["DESCRIBE_CONFIGS", "DescribeConfigs"],
  ["ALTER_CONFIGS", "AlterConfigs"],
  ["IDEMPOTENT_WRITE", "IdempotentWrite"],
]);

const RESOURCE_TYPES: Readonly<Record<AclResourceType, ResourceType>> = {
  TOPIC: "topic",
  GROUP: "group",
  CLUSTER: "cluster",
  TRANSACTIONAL_ID: "transactionalId",
  USER: "user",
  DELEGATION_TOKEN: "delegationToken",
};

/** An ACL of one operation, as a KafkaUser writes it; undefined where it cannot. */
export function aclEntryOf(binding: AclBinding): KafkaUserAcl | undefined {
  const operation = OPERATIONS.get(binding.operation);
  if (operation === undefined) return undefined;
  const type = RESOURCE_TYPES[binding.resourceType];
  const name = type === "cluster" ? {} : { name: binding.resourceName };
  const patternType = binding.patternType === "PREFIXED" ? "prefix" : "literal";
  return {
    type: binding.permission === "DENY" ? "deny" : "allow",
    resource: { type, ...name, patternType },
    host: binding.host,
    operations: [operation],
  };
}

/** Entries with some ACLs more and some less; undefined where that changes nothing. Others stay as people wrote them. */
export function changedEntries(
  entries: readonly KafkaUserAcl[],
  added: readonly KafkaUserAcl[],
  removed: readonly KafkaUserAcl[],
): readonly KafkaUserAcl[] | undefined {
  let isChanged = false;
  const result = entries.flatMap((entry) => {
    const gone = new Set(removed.filter((acl) => subjectOf(acl) === subjectOf(entry)).flatMap((acl) => acl.operations));
    const left = entry.operations.filter((operation) => !gone.has(operation));
    if (left.length === entry.operations.length) return [entry];
    isChanged = true;
    return left.length === 0 ? [] : [{ ...entry, operations: left }];
  });
  for (const acl of added) {
    const same = result.filter((entry) => subjectOf(entry) === subjectOf(acl));
    const missing = acl.operations.filter((wanted) => !same.some(({ operations }) => operations.includes(wanted)));
    if (missing.length === 0) continue;
    isChanged = true;
    const [first] = same;
    if (first === undefined) result.push({ ...acl, operations: missing });
    else result[result.indexOf(first)] = { ...first, operations: [...first.operations, ...missing] };
  }
  return isChanged ? result : undefined;
}

/** Everything that an entry says but for the operations. */
function subjectOf({ type, resource, host }: KafkaUserAcl): string {
  return JSON.stringify([type, resource.type, resource.name ?? "", resource.patternType, host]);
}
