import type { Clock } from "../../ports/clock.js";
import type { Credentials, QuotaKey } from "../../ports/credentials.js";
import { type AppliedLimit, QuotaRules } from "./quota-rules.js";
import { type QuotaWindows, RateSensor } from "./rate-sensor.js";
import { Sensors } from "./sensors.js";
import { TokenBucket } from "./token-bucket.js";

/** Whom a request is charged to. */
export interface QuotaClient {
  readonly user: string;
  readonly clientId: string;
}

/** What is measured as a rate of requests that are done. */
export type RateKey = "producer_byte_rate" | "consumer_byte_rate" | "request_percentage";

/** Where the windows of quotas come from: the part of the broker's configuration that they need. */
export interface QuotaConfig {
  number(name: string): number;
}

/** A client whose limits are remembered; another one asks for them anew. */
const CLIENTS_MAX = 10_000;

/** Milliseconds of work that are one percent of a second. */
const PERCENT_MS = 10;

/**
 * What clients may use up, and how long those wait who used more. Everything is charged after the fact, as by Kafka: a
 * request is never refused for its size, but its client waits for it.
 */
export class ClientQuotas {
  readonly #credentials: Credentials;
  readonly #clock: Clock;
  readonly #windows: QuotaWindows;
  readonly #rates: ReadonlyMap<RateKey | "connection_creation_rate", Sensors<RateSensor>>;
  readonly #mutations: Sensors<TokenBucket>;
  readonly #limits = new Map<string, AppliedLimit | null>();
  #rules: QuotaRules;
  /** Nobody is limited in anything: the one thing that is looked at while there are no quotas. */
  isIdle = true;
  /** Whether anybody is limited in the time that requests take, so that it has to be measured. */
  limitsRequests = false;

  constructor(credentials: Credentials, config: QuotaConfig, clock: Clock) {
    this.#credentials = credentials;
    this.#clock = clock;
    this.#windows = windowsOf(config, "quota.window.num", "quota.window.size.seconds");
    const rates = (): Sensors<RateSensor> => new Sensors((nowMs) => new RateSensor(this.#windows, nowMs));
    this.#rates = new Map([
      ["producer_byte_rate", rates()],
      ["consumer_byte_rate", rates()],
      ["request_percentage", rates()],
      ["connection_creation_rate", rates()],
    ]);
    const mutationWindows = windowsOf(config, "controller.quota.window.num", "controller.quota.window.size.seconds");
    this.#mutations = new Sensors((nowMs) => new TokenBucket(mutationWindows, nowMs));
    this.#rules = this.#adopt();
    credentials.onChange(() => {
      this.#rules = this.#adopt();
    });
  }

  /** Charges bytes that were produced or fetched; how long the client waits for it. */
  chargeBytes(key: "producer_byte_rate" | "consumer_byte_rate", client: QuotaClient, bytes: number): number {
    return this.#charge(key, client, bytes);
  }

  /** Takes back what was charged: the bytes were not sent after all. */
  uncharge(key: "consumer_byte_rate", client: QuotaClient, bytes: number): void {
    const applied = this.#limitOf(key, client);
    if (applied === undefined) return;
    const nowMs = this.#clock.monotonic();
    this.#rates.get(key)?.at(applied.sharedBy, nowMs).record(-bytes, nowMs);
  }

  /** Charges the time that a request kept the broker busy. Waits are at most one window, as in Kafka (KIP-124). */
  chargeTime(client: QuotaClient, busyMs: number): number {
    return Math.min(this.#windows.sizeMs, this.#charge("request_percentage", client, busyMs / PERCENT_MS));
  }

  /** The most that a fetch may bring at once: more than fits into all windows but one would always be too much. */
  fetchBytesMax(client: QuotaClient): number {
    const applied = this.#limitOf("consumer_byte_rate", client);
    if (applied === undefined) return Number.POSITIVE_INFINITY;
    const { count, sizeMs } = this.#windows;
    return Math.floor((applied.limit * (count - 1) * sizeMs) / 1000);
  }

  /**
   * Charges partitions that are created or deleted. Who has used up his quota before is refused if `isStrict`, and
   * nothing is charged then; else he waits afterwards (KIP-599).
   */
  chargeMutations(client: QuotaClient, partitions: number, isStrict: boolean): MutationCharge {
    const applied = this.#limitOf("controller_mutation_rate", client);
    if (applied === undefined) return GRANTED;
    const nowMs = this.#clock.monotonic();
    const bucket = this.#mutations.at(applied.sharedBy, nowMs);
    if (isStrict) {
      const throttleMs = bucket.throttleMs(applied.limit, nowMs);
      if (throttleMs > 0) return { isGranted: false, throttleMs };
      bucket.take(partitions, applied.limit, nowMs);
      return GRANTED;
    }
    bucket.take(partitions, applied.limit, nowMs);
    return { isGranted: true, throttleMs: bucket.throttleMs(applied.limit, nowMs) };
  }

  /** Counts a connection from an address; how long it is kept waiting before it is closed, or 0 for one that may come. */
  chargeConnection(address: string): number {
    const applied = this.#rules.addressLimit("connection_creation_rate", address);
    if (applied === undefined) return 0;
    const nowMs = this.#clock.monotonic();
    const sensor = this.#rates.get("connection_creation_rate")?.at(applied.sharedBy, nowMs);
    sensor?.record(1, nowMs);
    const throttleMs = sensor?.throttleMs(applied.limit, nowMs) ?? 0;
    if (throttleMs > 0) sensor?.record(-1, nowMs); // it was not let in
    return Math.min(this.#windows.sizeMs, throttleMs);
  }

  #charge(key: RateKey, client: QuotaClient, amount: number): number {
    const applied = this.#limitOf(key, client);
    if (applied === undefined) return 0;
    const nowMs = this.#clock.monotonic();
    const sensor = this.#rates.get(key)?.at(applied.sharedBy, nowMs);
    sensor?.record(amount, nowMs);
    return sensor?.throttleMs(applied.limit, nowMs) ?? 0;
  }

  #limitOf(key: QuotaKey, { user, clientId }: QuotaClient): AppliedLimit | undefined {
    if (!this.#rules.has(key)) return undefined;
    const name = `${key} ${user.length} ${user}${clientId}`;
    const known = this.#limits.get(name);
    if (known !== undefined) return known ?? undefined;
    const found = this.#rules.clientLimit(key, user, clientId);
    if (this.#limits.size >= CLIENTS_MAX) this.#limits.clear();
    this.#limits.set(name, found ?? null);
    return found;
  }

  #adopt(): QuotaRules {
    const quotas = this.#credentials.quotas();
    this.isIdle = quotas.length === 0;
    this.#limits.clear();
    const rules = new QuotaRules(quotas);
    this.limitsRequests = rules.has("request_percentage");
    return rules;
  }
}

/** What came of charging a change of topics. */
export interface MutationCharge {
  readonly isGranted: boolean;
  readonly throttleMs: number;
}

const GRANTED: MutationCharge = { isGranted: true, throttleMs: 0 };

function windowsOf(config: QuotaConfig, count: string, sizeSeconds: string): QuotaWindows {
  return { count: config.number(count), sizeMs: config.number(sizeSeconds) * 1000 };
}
