import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FakeQuotas, quotaConfig } from "../../../test/fakes/fake-quotas.js";
import { ManualClock } from "../../../test/fakes/manual-clock.js";
import type { ClientQuota, QuotaEntity } from "../../ports/credentials.js";
import { ClientQuotas } from "./client-quotas.js";
import { QuotaRules } from "./quota-rules.js";
import { RateSensor } from "./rate-sensor.js";
import { Sensors } from "./sensors.js";

const alice = { user: "alice", clientId: "c" };

function produceQuota(limit: number, entity: QuotaEntity = { user: "alice" }): ClientQuota {
  return { entity, limits: { producer_byte_rate: limit } };
}

function quotasOf(...quotas: readonly ClientQuota[]) {
  const fake = new FakeQuotas(...quotas);
  const clock = new ManualClock();
  return { fake, clock, quotas: new ClientQuotas(fake.credentials, quotaConfig, clock) };
}

describe("which limit holds", () => {
  /** The strongest first, as Kafka documents them. */
  const LEVELS: readonly QuotaEntity[] = [
    { user: "alice", clientId: "c" },
    { user: "alice", clientId: null },
    { user: "alice" },
    { user: null, clientId: "c" },
    { user: null, clientId: null },
    { user: null },
    { clientId: "c" },
    { clientId: null },
  ];

  it("is that of the strongest level there is, whatever else is limited", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: LEVELS.length - 1 })), (chosen) => {
        const quotas = chosen.map((level) => produceQuota(level + 1, LEVELS[level]));
        const noise: ClientQuota[] = [
          produceQuota(99, { user: "bob" }),
          produceQuota(99, { ip: null }),
          { entity: LEVELS[0] as QuotaEntity, limits: { consumer_byte_rate: 99 } },
        ];
        const found = new QuotaRules([...quotas, ...noise]).clientLimit("producer_byte_rate", "alice", "c");
        expect(found?.limit).toBe(chosen.length === 0 ? undefined : Math.min(...chosen) + 1);
      }),
    );
  });

  it("is counted for those together who share it", () => {
    const sharedBy = (entity: QuotaEntity, user: string, clientId: string): string | undefined =>
      new QuotaRules([produceQuota(1, entity)]).clientLimit("producer_byte_rate", user, clientId)?.sharedBy;
    expect(sharedBy({ user: null }, "a", "1")).toBe(sharedBy({ user: null }, "a", "2"));
    expect(sharedBy({ user: null }, "a", "1")).not.toBe(sharedBy({ user: null }, "b", "1"));
    expect(sharedBy({ clientId: null }, "a", "1")).toBe(sharedBy({ clientId: null }, "b", "1"));
    expect(sharedBy({ clientId: null }, "a", "1")).not.toBe(sharedBy({ clientId: null }, "a", "2"));
    expect(sharedBy({ user: null, clientId: null }, "a", "1")).not.toBe(
      sharedBy({ user: null, clientId: null }, "a", "2"),
    );
    expect(sharedBy({ user: null, clientId: null }, "ab", "c")).not.toBe(
      sharedBy({ user: null, clientId: null }, "a", "bc"),
    );
  });
});

describe("a rate", () => {
  const windows = { count: 11, sizeMs: 1000 };

  it("has all windows but one to average over from the start", () => {
    const sensor = new RateSensor(windows, 0);
    sensor.record(10_000, 0);
    expect(sensor.throttleMs(1000, 0)).toBe(0);
    sensor.record(10_000, 0);
    // 20 000 in ten seconds is twice the limit: ten more seconds make up for it.
    expect(sensor.throttleMs(1000, 0)).toBe(10_000);
    expect(sensor.throttleMs(1000, 10_000)).toBe(10_000);
  });

  it("forgets what is older than its windows", () => {
    const sensor = new RateSensor(windows, 0);
    sensor.record(1_000_000, 0);
    expect(sensor.throttleMs(1, 10_999)).toBeGreaterThan(0);
    expect(sensor.throttleMs(1, 11_000)).toBe(0);
  });

  it("keeps to its limit over time, whoever waits as he is told", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 200, maxLength: 200 }), (amounts) => {
        const sensor = new RateSensor(windows, 0);
        let nowMs = 0;
        let total = 0;
        for (const amount of amounts) {
          sensor.record(amount, nowMs);
          total += amount;
          nowMs += sensor.throttleMs(5000, nowMs);
        }
        // What was saved up in the beginning comes on top.
        expect((total - 55_000) / (nowMs / 1000 + 0.001)).toBeLessThan(5000 * 1.5);
      }),
    );
  });
});

describe("clients", () => {
  it("are not looked at while nobody is limited", () => {
    const { quotas, fake } = quotasOf();
    expect(quotas.isIdle).toBe(true);
    expect(quotas.chargeBytes("producer_byte_rate", alice, 1e12)).toBe(0);
    fake.set({ entity: { user: null }, limits: { request_percentage: 1 } });
    expect(quotas).toMatchObject({ isIdle: false, limitsRequests: true });
    expect(quotas.chargeBytes("producer_byte_rate", alice, 1e12)).toBe(0);
  });

  it("wait until their rate is the limit again, and by a new limit at once", () => {
    const { quotas, fake, clock } = quotasOf(produceQuota(1000));
    expect(quotas.chargeBytes("producer_byte_rate", alice, 10_000)).toBe(0);
    expect(quotas.chargeBytes("producer_byte_rate", alice, 1000)).toBe(1000);
    expect(quotas.chargeBytes("producer_byte_rate", { ...alice, user: "bob" }, 1e9)).toBe(0);
    fake.set(produceQuota(1_000_000));
    expect(quotas.chargeBytes("producer_byte_rate", alice, 1000)).toBe(0);
    clock.advance(20_000);
    fake.set(produceQuota(1));
    expect(quotas.chargeBytes("producer_byte_rate", alice, 1)).toBe(0);
  });

  it("get no more at once than fits into the windows, and what was not sent is not charged", () => {
    const { quotas } = quotasOf({ entity: { clientId: "c" }, limits: { consumer_byte_rate: 100 } });
    expect(quotas.fetchBytesMax(alice)).toBe(1000);
    expect(quotas.fetchBytesMax({ ...alice, clientId: "d" })).toBe(Number.POSITIVE_INFINITY);
    expect(quotas.chargeBytes("consumer_byte_rate", alice, 2000)).toBe(10_000);
    quotas.uncharge("consumer_byte_rate", alice, 2000);
    expect(quotas.chargeBytes("consumer_byte_rate", alice, 1000)).toBe(0);
  });

  it("wait at most one window for the time they take", () => {
    const { quotas } = quotasOf({ entity: { user: "alice" }, limits: { request_percentage: 1 } });
    // One percent is ten milliseconds a second.
    expect(quotas.chargeTime(alice, 100)).toBe(0);
    expect(quotas.chargeTime(alice, 1)).toBe(100);
    expect(quotas.chargeTime(alice, 10_000)).toBe(1000);
  });

  it("are refused new partitions when they have had too many, or wait afterwards", () => {
    const { quotas, clock } = quotasOf({ entity: { user: "alice" }, limits: { controller_mutation_rate: 2 } });
    // 22 are saved up; more may be taken at once, and are missing then.
    expect(quotas.chargeMutations(alice, 30, true)).toEqual({ isGranted: true, throttleMs: 0 });
    expect(quotas.chargeMutations(alice, 1, true)).toEqual({ isGranted: false, throttleMs: 4000 });
    clock.advance(1000);
    expect(quotas.chargeMutations(alice, 1, false)).toEqual({ isGranted: true, throttleMs: 3500 });
    clock.advance(3500);
    expect(quotas.chargeMutations(alice, 1, true)).toEqual({ isGranted: true, throttleMs: 0 });
    expect(quotas.chargeMutations({ ...alice, user: "bob" }, 1e6, true).isGranted).toBe(true);
  });

  it("from one address come no faster than they may", () => {
    const { quotas, clock } = quotasOf(
      { entity: { ip: "10.0.0.1" }, limits: { connection_creation_rate: 1 } },
      { entity: { ip: null }, limits: { connection_creation_rate: 2 } },
    );
    const admitted = (address: string): number =>
      Array.from({ length: 40 }, () => quotas.chargeConnection(address)).filter((throttleMs) => throttleMs === 0)
        .length;
    expect(admitted("10.0.0.1")).toBe(10);
    expect(admitted("10.0.0.2")).toBe(20);
    expect(quotas.chargeConnection("10.0.0.1")).toBe(1000);
    clock.advance(11_000);
    expect(quotas.chargeConnection("10.0.0.1")).toBe(0);
  });
});

describe("counts", () => {
  it("are forgotten an hour after they were used last, and bounded in number", () => {
    const sensors = new Sensors((nowMs) => new RateSensor({ count: 11, sizeMs: 1000 }, nowMs));
    for (let index = 0; index < 60_000; index++) sensors.at(`k${index}`, 0);
    expect(sensors.size).toBe(50_000);
    sensors.at("k59999", 1_800_000).record(1, 1_800_000);
    sensors.at("other", 3_600_000);
    expect(sensors.size).toBe(2);
  });
});
