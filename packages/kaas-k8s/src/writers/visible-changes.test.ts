import type {
  AclBinding,
  AclChangeRefusal,
  Credentials,
  QuotaAlteration,
  ScramAlteration,
  ScramCredential,
  ScramMechanism,
  UserChangeRefusal,
} from "@kaas/core";
import { ErrorCode } from "@kaas/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle, TestClock } from "../testing/test-clock.js";
import { visibleChanges } from "./visible-changes.js";

let clock: TestClock;
let listeners: Set<() => void>;
let keys: Map<ScramMechanism, ScramCredential>;
let quotas: ReturnType<Credentials["quotas"]>;
let bindings: readonly AclBinding[];
let refusal: (UserChangeRefusal & AclChangeRefusal) | undefined;
let outcomes: unknown[];

beforeEach(() => {
  clock = new TestClock();
  listeners = new Set();
  keys = new Map();
  quotas = [];
  bindings = [];
  refusal = undefined;
  outcomes = [];
});
afterEach(() => {
  expect(listeners.size).toBe(0);
  expect(clock.pending).toBe(0);
});

const onChange = (callback: () => void) => {
  listeners.add(callback);
  return () => void listeners.delete(callback);
};
const changed = async (): Promise<void> => {
  for (const listener of [...listeners]) listener();
  await settle();
};
const refresh = () => Promise.resolve();
const changes = () => {
  const stored = () => Promise.resolve(refusal);
  return visibleChanges({
    users: { alterScram: stored, alterQuotas: stored },
    acls: { changeAcls: stored },
    credentials: {
      users: () => ["alice"],
      scram: () => keys,
      decoySecret: Buffer.alloc(0),
      quotas: () => quotas,
      refresh,
      onChange,
    },
    bindings: { bindings: () => bindings, refresh, onChange },
    clock,
  });
};
const note = async (change: Promise<unknown>): Promise<void> => {
  void change.then((outcome) => outcomes.push(outcome ?? "done"));
  await settle();
};
const LATE = { errorCode: ErrorCode.REQUEST_TIMED_OUT, message: expect.stringContaining("operator") };

describe("SCRAM", () => {
  const credential = (byte: number): ScramCredential => {
    const bytes = Buffer.alloc(2, byte);
    return { salt: bytes, iterations: 4096, storedKey: bytes, serverKey: bytes };
  };
  const alteration: ScramAlteration = {
    user: "alice",
    upserts: new Map([["SCRAM-SHA-512", credential(2)]]),
    deletions: new Set(["SCRAM-SHA-256"]),
  };

  test("is waited for until the very keys are there, and the deleted ones gone", async () => {
    keys = new Map([
      ["SCRAM-SHA-256", credential(1)],
      ["SCRAM-SHA-512", credential(1)],
    ]);
    await note(changes().users.alterScram(alteration));
    keys.set("SCRAM-SHA-512", credential(2));
    await changed();
    expect(outcomes).toEqual([]);
    keys.delete("SCRAM-SHA-256");
    await changed();
    expect(outcomes).toEqual(["done"]);
  });

  test("is waited for no longer than a client does", async () => {
    await note(changes().users.alterScram(alteration));
    await clock.run(14_999);
    expect(outcomes).toEqual([]);
    await clock.run(1);
    expect(outcomes).toEqual([LATE]);
  });

  test("that is refused is not waited for", async () => {
    refusal = { errorCode: ErrorCode.POLICY_VIOLATION, message: "no" };
    await note(changes().users.alterScram(alteration));
    await note(changes().users.alterQuotas({ entity: { user: "alice" }, limits: {} }));
    await note(changes().acls.changeAcls({ added: [], removed: [] }, 1000));
    expect(outcomes).toEqual([refusal, refusal, refusal]);
  });
});

test("quotas are waited for until they are as they should be", async () => {
  const limits = { producer_byte_rate: 5, consumer_byte_rate: null };
  const alteration: QuotaAlteration = { entity: { user: "alice" }, limits };
  quotas = [
    { entity: { user: "alice" }, limits: { consumer_byte_rate: 7 } },
    { entity: { user: "bob" }, limits: { producer_byte_rate: 5 } },
  ];
  await note(changes().users.alterQuotas(alteration));
  quotas = [{ entity: { user: "alice" }, limits: { consumer_byte_rate: 7, producer_byte_rate: 5 } }];
  await changed();
  expect(outcomes).toEqual([]);
  quotas = [{ entity: { user: "alice" }, limits: { producer_byte_rate: 5, request_percentage: 1 } }];
  await changed();
  expect(outcomes).toEqual(["done"]);
  await note(changes().users.alterQuotas(alteration));
  expect(outcomes).toEqual(["done", "done"]);
});

describe("ACLs", () => {
  const acl = (operation: AclBinding["operation"]): AclBinding => ({
    resourceType: "TOPIC",
    patternType: "LITERAL",
    resourceName: "orders",
    principal: "User:alice",
    host: "*",
    operation,
    permission: "ALLOW",
  });

  test("are waited for until the added are there and the removed gone", async () => {
    bindings = [acl("READ")];
    await note(changes().acls.changeAcls({ added: [acl("WRITE")], removed: [acl("READ")] }, 30_000));
    bindings = [acl("READ"), acl("WRITE")];
    await changed();
    expect(outcomes).toEqual([]);
    bindings = [acl("WRITE")];
    await changed();
    expect(outcomes).toEqual(["done"]);
  });

  test("that no KafkaUser can have are refused without asking anybody", () => {
    const { acls } = changes();
    const refused = (parts: Partial<AclBinding>) => acls.refusalOf?.({ ...acl("READ"), ...parts });
    expect(refused({})).toBeUndefined();
    expect(refused({ principal: "User:CN=alice" })).toBeUndefined();
    const wrong = [{ principal: "User:*" }, { principal: "Group:a" }, { operation: "CREATE_TOKENS" }] as const;
    for (const parts of wrong) expect(refused(parts)?.errorCode).toBe(ErrorCode.POLICY_VIOLATION);
  });

  test("are waited for no longer than the caller says", async () => {
    await note(changes().acls.changeAcls({ added: [acl("WRITE")], removed: [] }, 700));
    await clock.run(700);
    expect(outcomes).toEqual([LATE]);
  });
});
