import { describe, expect, test } from "vitest";
import { acl, FakeAcls } from "../../test/fakes/fake-acls.js";
import { handlerHarness } from "../../test/fakes/handler-context.js";
import { ErrorCode } from "../errors/error-codes.js";
import { KaasError } from "../errors/kaas-error.js";
import type { AclBinding } from "../ports/acls.js";
import type { Broker } from "./broker-services.js";
import { createAcls } from "./30-create-acls.js";
import { deleteAcls } from "./31-delete-acls.js";
import { describeAcls } from "./29-describe-acls.js";

const ANY = 1;
const MATCH = 2;
const LITERAL = 3;
const PREFIXED = 4;

const creation = {
  resourceType: 2,
  resourceName: "t",
  resourcePatternType: LITERAL,
  principal: "User:alice",
  host: "*",
  operation: 3,
  permissionType: 3,
};
const anything = {
  resourceTypeFilter: ANY,
  resourceNameFilter: null as string | null,
  patternTypeFilter: ANY,
  principalFilter: null as string | null,
  hostFilter: null as string | null,
  operation: ANY,
  permissionType: ANY,
};

function brokerWith(acls: FakeAcls, more: Partial<Broker> = {}) {
  return handlerHarness({ acls, aclAdmin: acls, authorizer: { isOn: true } as never, ...more });
}

async function create(acls: FakeAcls, ...creations: readonly (typeof creation)[]) {
  const answer = await createAcls.handle(brokerWith(acls).context(30, 3), { creations: [...creations] });
  return answer?.results?.map(({ errorCode }) => errorCode);
}

describe("creating", () => {
  test("what is well formed is added together, beside what is not", async () => {
    const acls = new FakeAcls();
    const results = await create(acls, creation, { ...creation, resourceName: "" }, { ...creation, operation: 4 });
    expect(results).toEqual([0, ErrorCode.INVALID_REQUEST, 0]);
    const expected = acl({ resourceName: "t", principal: "User:alice" });
    expect(acls.bindings()).toEqual([expected, { ...expected, operation: "WRITE" }]);
  });

  test.each([
    ["a cluster of another name", { resourceType: 4, resourceName: "x" }],
    ["any resource", { resourceType: ANY }],
    ["any pattern", { resourcePatternType: ANY }],
    ["a pattern of filters", { resourcePatternType: MATCH }],
    ["any operation", { operation: ANY }],
    ["an unknown operation", { operation: 99 }],
    ["any permission", { permissionType: ANY }],
    ["a principal without type", { principal: "alice" }],
    ["no host", { host: "" }],
  ])("%s is refused", async (_what, parts) => {
    const acls = new FakeAcls();
    expect(await create(acls, { ...creation, ...parts })).toEqual([ErrorCode.INVALID_REQUEST]);
    expect(acls.bindings()).toEqual([]);
  });

  test("what can never be stored does not fail what is beside it", async () => {
    const acls = new FakeAcls();
    const refusal = { errorCode: ErrorCode.POLICY_VIOLATION, message: "nobody is called so" };
    const aclAdmin = {
      refusalOf: ({ principal }: AclBinding) => (principal === "User:Bob" ? refusal : undefined),
      changeAcls: acls.changeAcls.bind(acls),
    };
    const creations = [creation, { ...creation, principal: "User:Bob" }];
    expect(await createAcls.handle(brokerWith(acls, { aclAdmin }).context(30, 3), { creations })).toMatchObject({
      results: [{ errorCode: 0 }, { errorCode: ErrorCode.POLICY_VIOLATION, errorMessage: "nobody is called so" }],
    });
    expect(acls.bindings()).toEqual([acl({ resourceName: "t", principal: "User:alice" })]);
  });

  test("what the outside refuses, or fails at, is told", async () => {
    const acls = new FakeAcls();
    const refusal = { errorCode: ErrorCode.REQUEST_TIMED_OUT, message: "the API server is away" };
    const refusing = brokerWith(acls, { aclAdmin: { changeAcls: async () => refusal } });
    expect(await createAcls.handle(refusing.context(30, 3), { creations: [creation] })).toEqual({
      results: [{ errorCode: ErrorCode.REQUEST_TIMED_OUT, errorMessage: "the API server is away" }],
    });
    const failing = brokerWith(acls, {
      aclAdmin: { changeAcls: () => Promise.reject(new KaasError("KAAS_STORAGE_FAILED", "disk")) },
    });
    expect(await createAcls.handle(failing.context(30, 3), { creations: [creation] })).toMatchObject({
      results: [{ errorCode: ErrorCode.KAFKA_STORAGE_ERROR, errorMessage: "ACLs could not be changed: disk" }],
    });
    const without = brokerWith(acls, { aclAdmin: undefined });
    expect(await createAcls.handle(without.context(30, 3), { creations: [creation] })).toMatchObject({
      results: [{ errorCode: ErrorCode.SECURITY_DISABLED }],
    });
  });
});

const ALL: readonly AclBinding[] = [
  acl({ resourceName: "orders" }),
  acl({ resourceName: "ord", patternType: "PREFIXED", operation: "ALL", permission: "DENY" }),
  acl({ resourceName: "*", operation: "WRITE", principal: "User:alice" }),
  acl({ resourceType: "GROUP", resourceName: "orders", host: "10.0.0.1" }),
];

describe("filters", () => {
  test.each<[string, Partial<typeof anything>, number[]]>([
    ["anything", {}, [0, 1, 2, 3]],
    ["topics", { resourceTypeFilter: 2 }, [0, 1, 2]],
    ["a name", { resourceNameFilter: "orders" }, [0, 3]],
    [
      "a name of topics, whatever holds for it",
      { resourceNameFilter: "orders", patternTypeFilter: MATCH, resourceTypeFilter: 2 },
      [0, 1, 2],
    ],
    ["a literal name", { resourceNameFilter: "ord", patternTypeFilter: LITERAL }, []],
    ["a prefix", { resourceNameFilter: "ord", patternTypeFilter: PREFIXED }, [1]],
    ["the wildcard", { resourceNameFilter: "*" }, [2]],
    ["a principal", { principalFilter: "User:alice" }, [2]],
    ["a host", { hostFilter: "10.0.0.1" }, [3]],
    ["an operation", { operation: 2 }, [1]],
    ["a permission", { permissionType: 2 }, [1]],
  ])("%s: listed, and deleted", async (_what, parts, expected) => {
    const acls = new FakeAcls(...ALL);
    const harness = brokerWith(acls);
    const filter = { ...anything, ...parts };
    const { resources } = (await describeAcls.handle(harness.context(29, 3), filter)) ?? {};
    expect(resources?.flatMap((resource) => resource.acls ?? [])).toHaveLength(expected.length);
    const answer = await deleteAcls.handle(harness.context(31, 3), { filters: [filter, filter] });
    for (const { errorCode, matchingAcls } of answer?.filterResults ?? []) {
      expect(errorCode).toBe(0);
      expect(matchingAcls).toHaveLength(expected.length);
    }
    expect(acls.bindings()).toEqual(ALL.filter((_, index) => !expected.includes(index)));
  });

  test.each([{ resourceTypeFilter: 0 }, { patternTypeFilter: 9 }, { operation: 0 }, { permissionType: 7 }])(
    "%j is not known",
    async (parts) => {
      const harness = brokerWith(new FakeAcls(...ALL));
      const filter = { ...anything, ...parts };
      const refused = { errorCode: ErrorCode.INVALID_REQUEST };
      expect(await describeAcls.handle(harness.context(29, 3), filter)).toMatchObject(refused);
      const answer = await deleteAcls.handle(harness.context(31, 3), { filters: [filter] });
      expect(answer).toMatchObject({ filterResults: [refused] });
    },
  );
});

test("without an authorizer there is nothing to list or change", async () => {
  const harness = brokerWith(new FakeAcls(...ALL), { authorizer: { isOn: false } as never });
  const disabled = { errorCode: ErrorCode.SECURITY_DISABLED };
  expect(await describeAcls.handle(harness.context(29, 3), anything)).toMatchObject({ ...disabled, resources: [] });
  expect(await createAcls.handle(harness.context(30, 3), { creations: [creation] })).toMatchObject({
    results: [disabled],
  });
  expect(await deleteAcls.handle(harness.context(31, 3), { filters: [anything] })).toMatchObject({
    filterResults: [disabled],
  });
});
