// ACLs as an administrator sees them: created, listed and deleted, by good requests and bad ones.
import type { Context, Message, Scenario } from "../context.js";
import { closeToOthers, creation } from "./acl-requests.js";

const ANY = 1;
const MATCH = 2;
const LITERAL = 3;
const PREFIXED = 4;
const HOST = "10.9.8.7";

export const aclRequests: Scenario = {
  name: "acls",
  async run(context) {
    await closeToOthers(context);
    await creations(context);
    await filters(context);
    await deletions(context);
  },
};

function filter(parts: Message = {}): Message {
  return {
    resourceTypeFilter: ANY,
    resourceNameFilter: null,
    patternTypeFilter: ANY,
    principalFilter: null,
    hostFilter: HOST,
    operation: ANY,
    permissionType: ANY,
    ...parts,
  };
}

async function creations(context: Context): Promise<void> {
  const good = creation(HOST, { type: "TOPIC", name: context.named("t"), operation: "READ" });
  const cases: readonly (readonly [string, Message])[] = [
    ["good", good],
    ["twice", good],
    ["empty name", { ...good, resourceName: "" }],
    ["a cluster of another name", { ...good, resourceType: 4, resourceName: "x" }],
    ["any resource type", { ...good, resourceType: ANY }],
    ["any pattern", { ...good, resourcePatternType: ANY }],
    ["pattern match", { ...good, resourcePatternType: MATCH }],
    ["any operation", { ...good, operation: ANY }],
    ["any permission", { ...good, permissionType: ANY }],
    ["principal without colon", { ...good, principal: "alice" }],
    ["principal without name", { ...good, principal: "User:" }],
    ["principal of another type", { ...good, principal: "Group:x" }],
    ["empty host", { ...good, host: "" }],
    ["a host that is none", { ...good, host: "not a host" }],
    ["read of the cluster", { ...good, resourceType: 4, resourceName: "kafka-cluster" }],
    ["a user", { ...good, resourceType: 7, operation: 13 }],
    ["a token", { ...good, resourceType: 6, operation: 8 }],
    ["two phase commit", { ...good, resourceType: 5, operation: 15 }],
  ];
  for (const [label, one] of cases) {
    await context.eachVersion(`create, ${label}`, "CreateAcls", (version: number) =>
      version < 3 && one.resourceType === 7 ? { creations: [] } : { creations: [one] },
    );
  }
  await context.eachVersion("create, good beside bad", "CreateAcls", {
    creations: [{ ...good, resourceName: "" }, creation(HOST, { type: "GROUP", name: "g", operation: "ALL" })],
  });
  await context.eachVersion("create nothing", "CreateAcls", { creations: [] });
}

async function filters(context: Context): Promise<void> {
  const make = [
    creation(HOST, { type: "TOPIC", name: "*", operation: "WRITE" }),
    creation(HOST, { type: "TOPIC", name: context.named(""), pattern: "PREFIXED", operation: "ALL", denied: true }),
    creation(HOST, { type: "GROUP", name: context.named("t"), operation: "READ" }),
  ];
  await context.quiet("CreateAcls", { creations: make });
  const ask = (label: string, parts: Message): Promise<void> =>
    context.eachVersion(`list, ${label}`, "DescribeAcls", filter(parts), { from: 3 });
  const name = context.named("t");
  await context.until("all ACLs are listed", async () => {
    const { resources } = await context.quiet("DescribeAcls", filter());
    return resources.length >= 9;
  });
  await context.eachVersion("list, of the host", "DescribeAcls", filter({ resourceTypeFilter: 2 }));
  await ask("of a name", { resourceNameFilter: name });
  await ask("of a name, literal", { resourceNameFilter: name, patternTypeFilter: LITERAL });
  await ask("of a name, prefixed", { resourceNameFilter: name, patternTypeFilter: PREFIXED });
  await ask("that hold for a name", { resourceNameFilter: name, patternTypeFilter: MATCH, resourceTypeFilter: 2 });
  await ask("that hold for any name", { patternTypeFilter: MATCH, resourceTypeFilter: 2 });
  await ask("of the wildcard", { resourceNameFilter: "*", resourceTypeFilter: 2 });
  await ask("of an operation", { operation: 3 });
  await ask("of a permission", { permissionType: 2 });
  await ask("of a principal", { principalFilter: "User:ANONYMOUS" });
  await ask("of the wildcard principal", { principalFilter: "User:*" });
  await ask("of another host", { hostFilter: "10.9.8.6" });
}

async function deletions(context: Context): Promise<void> {
  const ask = (label: string, ...parts: readonly Message[]): Promise<Message> =>
    context.call(`delete, ${label}`, "DeleteAcls", 3, { filters: parts.map((one) => filter(one)) });
  const gone = async (parts: Message): Promise<void> =>
    context.until(
      "they are gone",
      async () => (await context.quiet("DescribeAcls", filter(parts))).resources.length === 0,
    );
  await ask("nothing");
  await ask("what is not there", { resourceNameFilter: "nothing" });
  await ask("of an operation, twice", { operation: 4 }, { operation: 4 });
  await gone({ operation: 4 });
  await ask("all", {});
  await gone({});
  await context.eachVersion("delete, none left", "DeleteAcls", { filters: [filter()] });
}
