import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acl, FakeAcls } from "../../test/fakes/fake-acls.js";
import type { AclBinding } from "../ports/acls.js";
import { type Log, silentLog } from "../ports/log.js";
import { type AskedOperation, bitOf } from "./access.js";
import { AclAuthorizer, type AuthorizerSettings } from "./authorizer.js";
import { userPrincipal } from "./kafka-principal.js";

const SETTINGS: AuthorizerSettings = { superUsers: "", allowsEveryoneIfNoAclFound: false };
const alice = userPrincipal("alice");

function authorizerOver(
  acls: FakeAcls,
  settings: Partial<AuthorizerSettings> = {},
  log: Log = silentLog,
): AclAuthorizer {
  return new AclAuthorizer(acls, { ...SETTINGS, ...settings }, log);
}

function accessTo(...acls: readonly AclBinding[]): ReturnType<AclAuthorizer["accessOf"]> {
  return authorizerOver(new FakeAcls(...acls)).accessOf(alice, "10.0.0.1");
}

describe("who may do what", () => {
  it("is nothing without ACLs, or everything if everybody may then", () => {
    expect(accessTo().may("READ", "TOPIC", "t")).toBe(false);
    const open = authorizerOver(new FakeAcls(acl({ resourceName: "t", operation: "WRITE" })), {
      allowsEveryoneIfNoAclFound: true,
    }).accessOf(alice, "10.0.0.1");
    expect(open.may("READ", "TOPIC", "t")).toBe(false);
    expect(open.may("READ", "TOPIC", "u")).toBe(true);
    expect(open.mayOnCluster("ALTER")).toBe(true);
  });

  it("is everything for super users, whatever is denied", () => {
    const acls = new FakeAcls(acl({ permission: "DENY", operation: "ALL" }));
    const authorizer = authorizerOver(acls, { superUsers: "User:root; User:CN=alice,O=x;" });
    expect(authorizer.accessOf(userPrincipal("CN=alice,O=x"), "::1").may("ALTER", "TOPIC", "t")).toBe(true);
    expect(authorizer.accessOf(alice, "::1").may("ALTER", "TOPIC", "t")).toBe(false);
    expect(() => authorizerOver(acls, { superUsers: "alice" })).toThrow(/super.users: "alice" is no principal/);
  });

  it.each([
    [acl(), true],
    [acl({ resourceName: "orders" }), true],
    [acl({ resourceName: "order" }), false],
    [acl({ resourceName: "ord", patternType: "PREFIXED" }), true],
    [acl({ resourceName: "*", patternType: "PREFIXED" }), false],
    [acl({ principal: "User:alice" }), true],
    [acl({ principal: "User:alic" }), false],
    [acl({ principal: "Group:*" }), false],
    [acl({ host: "10.0.0.1" }), true],
    [acl({ host: "10.0.0.10" }), false],
    [acl({ operation: "ALL" }), true],
    [acl({ operation: "WRITE" }), false],
    [acl({ resourceType: "GROUP", resourceName: "orders" }), false],
  ])("%j lets alice read: %s", (binding, allowed) => {
    expect(accessTo(binding).may("READ", "TOPIC", "orders")).toBe(allowed);
  });

  it("is denied by any ACL that matches, however narrow the one that allows", () => {
    const allowed = acl({ resourceName: "orders", principal: "User:alice" });
    const denied = acl({ resourceName: "o", patternType: "PREFIXED", permission: "DENY" });
    expect(accessTo(allowed, denied).may("READ", "TOPIC", "orders")).toBe(false);
  });

  it("includes what an operation implies when it is allowed, and not when it is denied", () => {
    for (const operation of ["READ", "WRITE", "DELETE", "ALTER"] as const) {
      expect(accessTo(acl({ operation })).may("DESCRIBE", "TOPIC", "t")).toBe(true);
    }
    expect(accessTo(acl({ operation: "ALTER_CONFIGS" })).may("DESCRIBE_CONFIGS", "TOPIC", "t")).toBe(true);
    expect(accessTo(acl({ operation: "CREATE" })).may("DESCRIBE", "TOPIC", "t")).toBe(false);
    const deniesRead = accessTo(acl({ operation: "DESCRIBE" }), acl({ permission: "DENY" }));
    expect(deniesRead.may("DESCRIBE", "TOPIC", "t")).toBe(true);
    const deniesAll = accessTo(acl({ operation: "DESCRIBE" }), acl({ permission: "DENY", operation: "ALL" }));
    expect(deniesAll.may("DESCRIBE", "TOPIC", "t")).toBe(false);
  });

  it("compares addresses by what they mean", () => {
    const acls = new FakeAcls(acl({ host: "0:0:0:0:0:0:0:1" }), acl({ host: "10.0.0.7" }));
    const authorizer = authorizerOver(acls);
    expect(authorizer.accessOf(alice, "::1").may("READ", "TOPIC", "t")).toBe(true);
    expect(authorizer.accessOf(alice, "::ffff:10.0.0.7").may("READ", "TOPIC", "t")).toBe(true);
    expect(authorizer.accessOf(alice, "::2").may("READ", "TOPIC", "t")).toBe(false);
  });

  it("follows changes at once", () => {
    const acls = new FakeAcls();
    const access = authorizerOver(acls).accessOf(alice, "10.0.0.1");
    expect(access.may("READ", "TOPIC", "t")).toBe(false);
    acls.set(acl());
    expect(access.may("READ", "TOPIC", "t")).toBe(true);
    acls.set();
    expect(access.may("READ", "TOPIC", "t")).toBe(false);
    expect(access.mayOnAny("READ", "TOPIC")).toBe(false);
  });

  it("shows the same decisions to all connections of a client", () => {
    const authorizer = authorizerOver(new FakeAcls());
    expect(authorizer.accessOf(alice, "10.0.0.1")).toBe(authorizer.accessOf(userPrincipal("alice"), "10.0.0.1"));
    expect(authorizer.accessOf(alice, "10.0.0.1")).not.toBe(authorizer.accessOf(alice, "10.0.0.2"));
  });

  it("keeps what it remembers of names bounded, and goes on deciding", () => {
    const access = accessTo(acl({ resourceName: "t-1", patternType: "PREFIXED" }));
    for (let index = 0; index < 25_000; index++) {
      expect(access.may("READ", "TOPIC", `t-${index}`)).toBe(`${index}`.startsWith("1"));
    }
  });
});

describe("what the log is told", () => {
  it("names each refusal once, and again when ACLs have changed", () => {
    const lines: unknown[] = [];
    const log: Log = { ...silentLog, info: (fields) => lines.push(fields) };
    const acls = new FakeAcls();
    const access = authorizerOver(acls, {}, log).accessOf(alice, "10.0.0.1");
    for (let round = 0; round < 3; round++) access.may("READ", "TOPIC", "t");
    access.may("WRITE", "TOPIC", "t");
    access.sees("DELETE", "TOPIC", "t");
    expect(lines).toEqual([
      { principal: "User:alice", host: "10.0.0.1", operation: "READ", resourceType: "TOPIC", resourceName: "t" },
      { principal: "User:alice", host: "10.0.0.1", operation: "WRITE", resourceType: "TOPIC", resourceName: "t" },
    ]);
    acls.set();
    access.may("READ", "TOPIC", "t");
    expect(lines).toHaveLength(3);
  });
});

describe("whether there is any resource", () => {
  it.each([
    [[], false],
    [[acl()], true],
    [[acl({ resourceName: "t" })], true],
    [[acl({ resourceName: "t" }), acl({ resourceName: "t", permission: "DENY" })], false],
    [[acl({ resourceName: "t" }), acl({ permission: "DENY" })], false],
    [[acl(), acl({ resourceName: "t", patternType: "PREFIXED", permission: "DENY" })], true],
    [[acl({ resourceName: "tt" }), acl({ resourceName: "t", patternType: "PREFIXED", permission: "DENY" })], false],
    [[acl({ resourceName: "t", patternType: "PREFIXED" }), acl({ resourceName: "t", permission: "DENY" })], true],
    [[acl({ operation: "ALL", resourceName: "t" })], true],
    [[acl({ operation: "WRITE" })], false],
  ])("%j: %s", (bindings, found) => {
    expect(accessTo(...bindings).mayOnAny("READ", "TOPIC")).toBe(found);
  });
});

const OPERATIONS = ["READ", "WRITE", "DESCRIBE", "ALTER_CONFIGS", "DESCRIBE_CONFIGS", "CREATE"] as const;
const names = fc.constantFrom("a", "ab", "abc", "b", "*");
const bindings = fc.array(
  fc.record<AclBinding>({
    resourceType: fc.constantFrom("TOPIC", "GROUP"),
    patternType: fc.constantFrom("LITERAL", "PREFIXED"),
    resourceName: names,
    principal: fc.constantFrom("User:alice", "User:bob", "User:*"),
    host: fc.constantFrom("*", "10.0.0.1", "10.0.0.2"),
    operation: fc.constantFrom("ALL", ...OPERATIONS),
    permission: fc.constantFrom("ALLOW", "DENY"),
  }),
  { maxLength: 12 },
);

/** What Kafka's documentation says, one ACL after the other. */
function allows(acls: readonly AclBinding[], operation: AskedOperation, name: string, open: boolean): boolean {
  const about = acls.filter(
    ({ resourceType, patternType, resourceName }) =>
      resourceType === "TOPIC" &&
      (patternType === "PREFIXED" ? name.startsWith(resourceName) : resourceName === "*" || resourceName === name),
  );
  const own = about.filter(
    ({ principal, host }) => ["User:alice", "User:*"].includes(principal) && ["*", "10.0.0.1"].includes(host),
  );
  const implies: Record<string, string[]> = {
    DESCRIBE: ["READ", "WRITE", "DELETE", "ALTER"],
    DESCRIBE_CONFIGS: ["ALTER_CONFIGS"],
  };
  if (own.some((one) => one.permission === "DENY" && ["ALL", operation].includes(one.operation))) return false;
  const sufficient = ["ALL", operation, ...(implies[operation] ?? [])];
  if (own.some((one) => one.permission === "ALLOW" && sufficient.includes(one.operation))) return true;
  return open && about.length === 0;
}

describe("any ACLs", () => {
  it("decide as going through them one by one does", () => {
    fc.assert(
      fc.property(bindings, fc.boolean(), (acls, open) => {
        const authorizer = authorizerOver(new FakeAcls(...acls), { allowsEveryoneIfNoAclFound: open });
        const access = authorizer.accessOf(alice, "10.0.0.1");
        for (const name of ["a", "ab", "abc", "abcd", "b", "c"]) {
          for (const operation of OPERATIONS) {
            const expected = allows(acls, operation, name, open);
            expect(access.may(operation, "TOPIC", name)).toBe(expected);
            expect((access.operations("TOPIC", name) & bitOf(operation)) !== 0).toBe(expected);
          }
        }
      }),
    );
  });
});
