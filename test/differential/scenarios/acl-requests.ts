// ACLs as requests have them. Principals are all the same, where no listener asks who one is: clients differ by the
// address that they come from, which ACLs tell apart.
import {
  operationCodes,
  patternTypeCodes,
  resourceTypeCodes,
} from "../../../packages/kaas-core/src/security/acl-codes.js";
import type { Context, Message } from "../context.js";

export type Allowed = {
  readonly type: keyof typeof resourceTypeCodes;
  readonly name: string;
  readonly operation: keyof typeof operationCodes;
  readonly pattern?: keyof typeof patternTypeCodes;
  readonly denied?: true;
};

const ALLOW = 3;
const DENY = 2;
export const ADMIN_ADDRESS = "127.0.0.1";

export function creation(host: string, { type, name, operation, pattern, denied }: Allowed): Message {
  return {
    resourceType: resourceTypeCodes[type],
    resourceName: name,
    resourcePatternType: patternTypeCodes[pattern ?? "LITERAL"],
    principal: "User:ANONYMOUS",
    host,
    operation: operationCodes[operation],
    permissionType: denied === true ? DENY : ALLOW,
  };
}

/** Gives ACLs to a client, and waits until they are in force. */
export async function allow(context: Context, host: string, allowed: readonly Allowed[]): Promise<void> {
  const creations = allowed.map((one) => creation(host, one));
  const { results } = await context.quiet("CreateAcls", { creations });
  const failed = results.find(({ errorCode }: Message) => errorCode !== 0);
  if (failed !== undefined) throw new Error(`an ACL was not created: ${failed.errorMessage}`);
  const filter = { resourceTypeFilter: 1, resourceNameFilter: null, patternTypeFilter: 1, principalFilter: null };
  await context.until(`ACLs of ${host}`, async () => {
    const { resources } = await context.quiet("DescribeAcls", {
      ...filter,
      hostFilter: host,
      operation: 1,
      permissionType: 1,
    });
    const count = resources.reduce((sum: number, { acls }: Message) => sum + acls.length, 0);
    return count >= new Set(creations.map((one) => JSON.stringify(one))).size;
  });
}

/** Leaves everything to the administrator: whoever else comes may do what further ACLs say. */
export async function closeToOthers(context: Context): Promise<void> {
  const everything: readonly Allowed[] = [
    { type: "CLUSTER", name: "kafka-cluster", operation: "ALL" },
    { type: "TOPIC", name: "*", operation: "ALL" },
    { type: "GROUP", name: "*", operation: "ALL" },
    { type: "TRANSACTIONAL_ID", name: "*", operation: "ALL" },
  ];
  await allow(context, ADMIN_ADDRESS, everything);
}
