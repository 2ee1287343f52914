import type { PodIdentity } from "../identity.js";
import type { ReflectorSink } from "../reflector/reflector-sink.js";
import { WatchedSet } from "../reflector/watched-set.js";
import type { Endpoint, EndpointSlice } from "./endpoint-slice.js";
import type { BrokerRegistryListener, RegisteredBroker } from "./registered-broker.js";

/**
 * The brokers of a StatefulSet, as the EndpointSlices of its headless Service have them. This broker is always among
 * them and serving, whatever Kubernetes says: it knows better.
 *
 * A pod may lie in two slices while Kubernetes moves it from one to the other; it serves if it does in one of them.
 */
export class BrokerRegistry {
  /** What a reflector of the slices feeds. */
  readonly sink: ReflectorSink<EndpointSlice>;
  readonly #slices: WatchedSet<EndpointSlice>;
  readonly #self: PodIdentity;
  readonly #listeners = new Set<BrokerRegistryListener>();
  #brokers: ReadonlyMap<number, RegisteredBroker>;
  /** While a list is under way, one slice may have what another one does not have any more. */
  #isRelisting = false;

  constructor(self: PodIdentity) {
    this.#self = self;
    const update = (): void => this.#update();
    this.#slices = new WatchedSet<EndpointSlice>({ changed: update, deleted: update, onSynced: update });
    this.#brokers = this.#compute();
    this.sink = this.#sinkOf(this.#slices);
  }

  /** Whether all that Kubernetes knows has been heard once. */
  get isSynced(): boolean {
    return this.#slices.isSynced;
  }

  /** By ordinal. */
  brokers(): readonly RegisteredBroker[] {
    return [...this.#brokers.values()];
  }

  broker(ordinal: number): RegisteredBroker | undefined {
    return this.#brokers.get(ordinal);
  }

  /** Returns a function that takes it back. */
  addListener(listener: BrokerRegistryListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #sinkOf(slices: WatchedSet<EndpointSlice>): ReflectorSink<EndpointSlice> {
    const relisted = (end: () => void): void => {
      end();
      this.#isRelisting = false;
      this.#update();
    };
    return {
      relistBegan: () => {
        this.#isRelisting = true;
        slices.relistBegan();
      },
      listed: (slice) => slices.listed(slice),
      relistCompleted: () => relisted(() => slices.relistCompleted()),
      relistAborted: () => relisted(() => slices.relistAborted()),
      changed: (slice) => slices.changed(slice),
      removed: (slice) => slices.removed(slice),
    };
  }

  #update(): void {
    if (this.#isRelisting) return;
    const before = this.#brokers;
    this.#brokers = this.#compute();
    for (const [ordinal, broker] of this.#brokers) {
      if (isSame(before.get(ordinal), broker)) continue;
      for (const listener of this.#listeners) listener.brokerChanged(broker);
    }
    for (const [ordinal, broker] of before) {
      if (this.#brokers.has(ordinal)) continue;
      for (const listener of this.#listeners) listener.brokerGone(broker);
    }
  }

  #compute(): ReadonlyMap<number, RegisteredBroker> {
    const found = new Map<number, RegisteredBroker>();
    for (const slice of this.#slices.objects()) {
      for (const endpoint of slice.endpoints ?? []) {
        const broker = this.#brokerOf(endpoint);
        if (broker === undefined) continue;
        const other = found.get(broker.ordinal);
        found.set(broker.ordinal, other === undefined ? broker : merged(other, broker));
      }
    }
    const { ordinal } = this.#self;
    found.set(ordinal, { ...(found.get(ordinal) ?? this.#unlisted()), state: "serving" });
    return new Map([...found].sort(([a], [b]) => a - b));
  }

  #brokerOf({ addresses, conditions, targetRef, nodeName, zone }: Endpoint): RegisteredBroker | undefined {
    const name = targetRef?.name ?? "";
    const number = name.startsWith(`${this.#self.set}-`) ? name.slice(this.#self.set.length + 1) : "";
    if (targetRef?.kind !== "Pod" || !/^(0|[1-9][0-9]{0,8})$/.test(number)) return undefined;
    // `ready` is always true for a Service that publishes pods before they are ready; `serving` is not.
    const isServing = (conditions?.serving ?? conditions?.ready ?? true) && conditions?.terminating !== true;
    return {
      name,
      ordinal: Number(number),
      state: isServing ? "serving" : "fenced",
      addresses: [...addresses].sort(),
      zone: zone ?? undefined,
      nodeName: nodeName ?? undefined,
      podUid: targetRef.uid,
    };
  }

  #unlisted(): RegisteredBroker {
    const { name, ordinal } = this.#self;
    return {
      name,
      ordinal,
      state: "serving",
      addresses: [],
      zone: undefined,
      nodeName: undefined,
      podUid: undefined,
    };
  }
}

/** One pod from two slices: of two address families, or of a move; of two pods with one name, the one that serves. */
function merged(a: RegisteredBroker, b: RegisteredBroker): RegisteredBroker {
  const [better, other] = b.state === "serving" && a.state === "fenced" ? [b, a] : [a, b];
  if (better.podUid !== other.podUid) return better;
  return { ...better, addresses: [...new Set([...better.addresses, ...other.addresses])].sort() };
}

function isSame(a: RegisteredBroker | undefined, b: RegisteredBroker): boolean {
  return (
    a !== undefined &&
    a.state === b.state &&
    a.podUid === b.podUid &&
    a.zone === b.zone &&
    a.nodeName === b.nodeName &&
    a.addresses.join() === b.addresses.join()
  );
}
