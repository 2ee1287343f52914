import { ErrorCode, isRetriable, type Random } from "@kaas/core";
import { systemClock } from "@kaas/storage";
import type { BrokerAddress } from "./broker-address.js";
import { BrokerConnection } from "./broker-connection.js";
import type { CallName, Calls } from "./calls.js";
import type { ClientSettings } from "./client-settings.js";
import { ClusterError } from "./cluster-error.js";
import { refusal } from "./refusal.js";

/** How long a coordinator is given to come up before it is asked again. */
const RETRY_PAUSE_MS = 200;
const GROUP_KEY = 0;

/** A broker as the cluster names it to clients. */
export interface LiveBroker extends BrokerAddress {
  readonly nodeId: number;
  readonly rack: string | null;
  /** It leads nothing and gets nothing: it drains, or is not heard of. */
  readonly isFenced: boolean;
}

/** An answer that says whether it is one. */
interface Failable {
  readonly errorCode: number;
}

/** What a cluster says of itself. */
export interface LiveCluster {
  readonly clusterId: string;
  /** −1: there is none now. */
  readonly controllerId: number;
  readonly brokers: readonly LiveBroker[];
}

/** Asks the brokers of a cluster: one of those that were named, and others where only they can know. */
export class KafkaClient {
  readonly #first: BrokerConnection;
  readonly #settings: ClientSettings;
  readonly #random: Random;
  readonly #others = new Map<number, Promise<BrokerConnection>>();
  #cluster: Promise<LiveCluster> | undefined;

  private constructor(first: BrokerConnection, settings: ClientSettings, random: Random) {
    this.#first = first;
    this.#settings = settings;
    this.#random = random;
  }

  /**
   * Connects to the first of the brokers that can be reached.
   *
   * @throws ClusterError that says of each why it could not
   */
  static async connect(
    addresses: readonly BrokerAddress[],
    settings: ClientSettings,
    random: Random,
  ): Promise<KafkaClient> {
    const failures: string[] = [];
    for (const address of addresses) {
      try {
        return new KafkaClient(await BrokerConnection.open(address, settings, random), settings, random);
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        failures.push(error.message);
      }
    }
    throw new ClusterError(failures.join("; "));
  }

  /** Whether the broker that was named serves an API. */
  serves(name: CallName): boolean {
    return this.#first.serves(name);
  }

  /** Asks what every broker knows. */
  call<Name extends CallName>(name: Name, request: Calls[Name]["request"]): Promise<Calls[Name]["response"]> {
    return this.#first.call(name, request);
  }

  /** Asked once: who there is. */
  cluster(): Promise<LiveCluster> {
    this.#cluster ??= this.#describeCluster();
    return this.#cluster;
  }

  /** A connection to one of the brokers, at the address that the cluster names. */
  async at(nodeId: number): Promise<BrokerConnection> {
    let connection = this.#others.get(nodeId);
    if (connection === undefined) {
      connection = this.#open(nodeId);
      this.#others.set(nodeId, connection);
    }
    return connection;
  }

  /**
   * Asks the broker that coordinates a group. One that is about to is waited for; one that does not know of it yet, or that
   * has just handed it over, is looked for again.
   */
  async askCoordinator<Answer extends Failable>(
    group: string,
    ask: (coordinator: BrokerConnection) => Promise<Answer>,
  ): Promise<Answer> {
    const deadlineMs = systemClock.monotonic() + this.#settings.requestTimeoutMs;
    for (;;) {
      const answer = await ask(await this.#coordinator(group, deadlineMs));
      if (!isRetriable(answer.errorCode) || systemClock.monotonic() > deadlineMs) return answer;
      await pause(RETRY_PAUSE_MS);
    }
  }

  async #coordinator(group: string, deadlineMs: number): Promise<BrokerConnection> {
    for (;;) {
      const { errorCode, errorMessage, nodeId } = await this.#findCoordinator(group);
      if (errorCode === ErrorCode.NONE) return this.at(nodeId);
      if (!isRetriable(errorCode) || systemClock.monotonic() > deadlineMs) {
        throw refusal(`the coordinator of group ${group} is not known`, errorCode, errorMessage);
      }
      await pause(RETRY_PAUSE_MS);
    }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    this.#first.close();
    const others = await Promise.allSettled(this.#others.values());
    for (const other of others) if (other.status === "fulfilled") other.value.close();
  }

  async #describeCluster(): Promise<LiveCluster> {
    const answer = await this.call("DescribeCluster", {
      includeClusterAuthorizedOperations: false,
      includeFencedBrokers: true,
    });
    const { errorCode, errorMessage, clusterId, controllerId } = answer;
    if (errorCode !== ErrorCode.NONE) throw refusal("the cluster does not describe itself", errorCode, errorMessage);
    const brokers = answer.brokers.map(({ brokerId, host, port, rack, isFenced }) => ({
      nodeId: brokerId,
      host,
      port,
      rack,
      isFenced,
    }));
    return { clusterId, controllerId, brokers: brokers.sort((one, other) => one.nodeId - other.nodeId) };
  }

  async #open(nodeId: number): Promise<BrokerConnection> {
    const broker = (await this.cluster()).brokers.find((one) => one.nodeId === nodeId);
    if (broker === undefined) throw new ClusterError(`broker ${nodeId} is not among those that the cluster names`);
    try {
      return await BrokerConnection.open(broker, this.#settings, this.#random);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      throw new ClusterError(`broker ${nodeId}: ${error.message}`);
    }
  }

  async #findCoordinator(
    group: string,
  ): Promise<{ readonly errorCode: number; readonly errorMessage: string | null; readonly nodeId: number }> {
    const answer = await this.call("FindCoordinator", { key: group, keyType: GROUP_KEY, coordinatorKeys: [group] });
    return answer.coordinators[0] ?? answer;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.schedule(ms, resolve);
  });
}
