import { beforeEach, describe, expect, test } from "vitest";
import { FakeQuotas, quotaConfig } from "../../test/fakes/fake-quotas.js";
import { type HandlerHarness, handlerHarness } from "../../test/fakes/handler-context.js";
import { ManualClock } from "../../test/fakes/manual-clock.js";
import { ErrorCode } from "../errors/error-codes.js";
import { KaasError } from "../errors/kaas-error.js";
import type { ClientQuota } from "../ports/credentials.js";
import type { QuotaAlteration } from "../ports/user-admin.js";
import { ClientQuotas } from "../security/quotas/client-quotas.js";
import { alterClientQuotas } from "./49-alter-client-quotas.js";
import { describeClientQuotas } from "./48-describe-client-quotas.js";
import { MutationQuota } from "./mutation-quota.js";

type Parts = Readonly<Record<string, string | null>>;

const partsOf = (parts: Parts) => Object.entries(parts).map(([entityType, entityName]) => ({ entityType, entityName }));
const op = (key: string, value: number, remove = false) => ({ key, value, remove });

let made: QuotaAlteration[];
let harness: HandlerHarness;

beforeEach(() => {
  made = [];
  harness = handlerHarness({
    userAdmin: {
      alterQuotas: async (alteration: QuotaAlteration) => {
        made.push(alteration);
        return undefined;
      },
    } as never,
  });
});

async function alter(parts: Parts, ...ops: readonly ReturnType<typeof op>[]): Promise<number | undefined> {
  const entries = [{ entity: partsOf(parts), ops: [...ops] }];
  const answer = await alterClientQuotas.handle(harness.context(49, 1), { entries, validateOnly: false });
  return answer?.entries?.[0]?.errorCode;
}

describe("altering", () => {
  test("limits are set and taken away", async () => {
    expect(
      await alter({ user: "a", "client-id": null }, op("producer_byte_rate", 5), op("request_percentage", 0, true)),
    ).toBe(0);
    expect(await alter({ ip: "::1" }, op("connection_creation_rate", 7))).toBe(0);
    expect(await alter({ user: "a" }, op("__proto__", 0, true))).toBe(0);
    expect(made.pop()).toEqual({ entity: { user: "a" }, limits: {} });
    expect(made).toEqual([
      { entity: { user: "a", clientId: null }, limits: { producer_byte_rate: 5, request_percentage: null } },
      { entity: { ip: "::1" }, limits: { connection_creation_rate: 7 } },
    ]);
  });

  test.each<[Parts, string, number]>([
    [{}, "producer_byte_rate", 1],
    [{ planet: "x" }, "producer_byte_rate", 1],
    [{ user: "" }, "producer_byte_rate", 1],
    [{ ip: "10.0.0.1", user: "a" }, "producer_byte_rate", 1],
    [{ ip: "a.host" }, "connection_creation_rate", 1],
    [{ ip: "10.0.0.256" }, "connection_creation_rate", 1],
    [{ ip: "10.0.0.1" }, "producer_byte_rate", 1],
    [{ user: "a" }, "connection_creation_rate", 1],
    [{ user: "a" }, "toString", 1],
    [{ user: "a" }, "producer_byte_rate", 0],
    [{ user: "a" }, "producer_byte_rate", 1.5],
    [{ user: "a" }, "producer_byte_rate", 1e19],
    [{ user: "a" }, "producer_byte_rate", Number.NaN],
    [{ ip: "10.0.0.1" }, "connection_creation_rate", 3e9],
  ])("%j %s=%s is refused", async (parts, key, value) => {
    expect(await alter(parts, op(key, value))).toBe(ErrorCode.INVALID_REQUEST);
    expect(made).toEqual([]);
  });

  test("what is only checked changes nothing; what fails is told", async () => {
    const entries = [{ entity: partsOf({ user: "a" }), ops: [op("producer_byte_rate", 1)] }];
    const checked = await alterClientQuotas.handle(harness.context(49, 1), { entries, validateOnly: true });
    expect(checked?.entries?.[0]?.errorCode).toBe(0);
    expect(made).toEqual([]);
    const failing = handlerHarness({
      userAdmin: { alterQuotas: () => Promise.reject(new KaasError("KAAS_STORAGE_FAILED", "disk")) } as never,
    });
    expect(await alterClientQuotas.handle(failing.context(49, 1), { entries, validateOnly: false })).toMatchObject({
      entries: [{ errorCode: ErrorCode.KAFKA_STORAGE_ERROR, errorMessage: "The quota could not be changed: disk" }],
    });
    const without = handlerHarness({ userAdmin: undefined });
    const refused = await alterClientQuotas.handle(without.context(49, 1), { entries, validateOnly: false });
    expect(refused?.entries?.[0]?.errorCode).toBe(ErrorCode.INVALID_REQUEST);
  });
});

const QUOTAS: readonly ClientQuota[] = [
  { entity: { user: "a" }, limits: { producer_byte_rate: 1 } },
  { entity: { user: "a", clientId: "c" }, limits: { producer_byte_rate: 2 } },
  { entity: { user: null }, limits: { producer_byte_rate: 3 } },
  { entity: { clientId: "c" }, limits: { producer_byte_rate: 4 } },
  { entity: { ip: "10.0.0.1" }, limits: { connection_creation_rate: 5 } },
];
const EXACT = 0;
const DEFAULT = 1;
const SPECIFIED = 2;

describe("describing", () => {
  async function list(strict: boolean, ...filter: readonly [string, number, string | null][]) {
    const described = handlerHarness({ credentials: { quotas: () => QUOTAS } as never });
    const components = filter.map(([entityType, matchType, match]) => ({ entityType, matchType, match }));
    return describeClientQuotas.handle(described.context(48, 1), { components, strict });
  }

  test.each<[boolean, [string, number, string | null][], number[]]>([
    [false, [], [1, 2, 3, 4, 5]],
    [true, [], []],
    [false, [["user", EXACT, "a"]], [1, 2]],
    [true, [["user", EXACT, "a"]], [1]],
    [false, [["user", DEFAULT, null]], [3]],
    [false, [["user", SPECIFIED, null]], [1, 2, 3]],
    [
      true,
      [
        ["user", EXACT, "a"],
        ["client-id", SPECIFIED, null],
      ],
      [2],
    ],
    [false, [["ip", EXACT, "10.0.0.1"]], [5]],
  ])("strict %s, %j", async (strict, filter, expected) => {
    const answer = await list(strict, ...filter);
    expect(answer?.entries?.map(({ values }) => values?.[0]?.value)).toEqual(expected);
  });

  test.each<[[string, number, string | null][], number]>([
    [[["", EXACT, "x"]], ErrorCode.INVALID_REQUEST],
    [[["planet", EXACT, "x"]], ErrorCode.UNSUPPORTED_VERSION],
    [[["user", EXACT, null]], ErrorCode.INVALID_REQUEST],
    [[["user", DEFAULT, "x"]], ErrorCode.INVALID_REQUEST],
    [[["user", SPECIFIED, "x"]], ErrorCode.INVALID_REQUEST],
    [[["user", 9, null]], ErrorCode.INVALID_REQUEST],
    [
      [
        ["user", EXACT, "a"],
        ["user", DEFAULT, null],
      ],
      ErrorCode.INVALID_REQUEST,
    ],
    [
      [
        ["user", EXACT, "a"],
        ["ip", DEFAULT, null],
      ],
      ErrorCode.INVALID_REQUEST,
    ],
  ])("%j is refused", async (filter, errorCode) => {
    expect(await list(false, ...filter)).toMatchObject({ errorCode, entries: null });
  });
});

test("changes of topics beyond the quota are refused, or make old clients wait", () => {
  const limits = { controller_mutation_rate: 1 };
  const fake = new FakeQuotas({ entity: { user: "ANONYMOUS" }, limits });
  const limited = handlerHarness({ quotas: new ClientQuotas(fake.credentials, quotaConfig, new ManualClock()) });
  const strict = new MutationQuota(limited.context(19, 7), 6);
  expect(strict.charge(12)).toBeUndefined();
  expect(strict.throttleTimeMs).toBe(0);
  expect(strict.charge(1)).toMatchObject({ errorCode: ErrorCode.THROTTLING_QUOTA_EXCEEDED });
  expect(strict.throttleTimeMs).toBe(1000);
  const old = new MutationQuota(limited.context(19, 5), 6);
  expect(old.charge(2)).toBeUndefined();
  expect(old.throttleTimeMs).toBe(3000);
  expect(new MutationQuota(harness.context(19, 7), 6).charge(1e9)).toBeUndefined();
});
