import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { ErrorCode } from "@kaas/core";
import { openVolume } from "@kaas/storage";
import type { AlterPartitionReassignmentsResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { Health } from "../cluster/broker-process.js";
import { kafka } from "../cluster/clients.js";
import { FakeApiServer } from "../cluster/fake-api-server.js";
import { Load } from "../cluster/load.js";
import { plainKubeconfig } from "../cluster/plain-kubeconfig.js";
import { WireClient } from "../lib/wire-client.js";
import { DirectClient } from "./direct-client.js";
import { type Acknowledgement, type Epochs, lookedMs, readEpochs } from "./epochs.js";
import { GuestBroker } from "./guest-broker.js";
import { type Guest, hostOn, makeNetworks, serverGuest, until } from "./guests.js";

export const TOPIC = "orders";
export const PARTITIONS: readonly number[] = [0, 1, 2, 3];
const SLOTS = 4;
const ALTER_REASSIGNMENTS = [45, 0] as const;
const IMAGE_BYTES = 1024 ** 3;
/**
 * A kernel that has lost its NFS server tries to connect again after ever longer pauses, a minute and more; then state is
 * reclaimed within the server's time of grace.
 */
export const BACK_SECONDS = 240;

/** One of the brokers, and who talks to it alone. */
export interface Side {
  readonly broker: GuestBroker;
  readonly client: DirectClient;
}

/**
 * An NFS server and two brokers, each in a kernel of its own, and their clients, which run here. So does a stand-in for
 * the API server.
 */
export class Stage {
  readonly server: Guest;
  readonly sides: readonly [Side, Side];
  /** kafkajs, one producer for each partition. */
  readonly loads: Load[] = [];
  readonly #home: string;
  readonly #api: FakeApiServer;

  private constructor(home: string, server: Guest, api: FakeApiServer, kubeconfig: string) {
    const side = (nodeId: number): Side => {
      const broker = new GuestBroker(home, nodeId, server, kubeconfig);
      return { broker, client: new DirectClient(broker.name, broker.host, broker.port) };
    };
    this.#home = home;
    this.#api = api;
    this.server = server;
    this.sides = [side(0), side(1)];
  }

  /** Resolves when both brokers lead. */
  static async open(home: string): Promise<Stage> {
    const image = await makeImage(home);
    makeNetworks();
    const api = new FakeApiServer(hostOn("cluster"));
    await api.start();
    const kubeconfig = `${home}/kubeconfig`;
    writeFileSync(kubeconfig, plainKubeconfig(api.url));
    const server = serverGuest(home, image, TOPIC);
    server.boot();
    const stage = new Stage(home, server, api, kubeconfig);
    try {
      await until("the server exports its volume", BACK_SECONDS, () => server.said("guest: serves") > 0);
      await stage.balanced();
      return stage;
    } catch (error) {
      await stage.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    await Promise.all([this.server, ...this.sides.map(({ broker }) => broker.guest)].map((guest) => guest.kill()));
    await this.#api.kill();
  }

  /** Resolves when both brokers lead and open nothing any more. */
  async balanced(): Promise<void> {
    await until("both brokers lead", BACK_SECONDS, async () => {
      const health = await Promise.all(this.sides.map(({ broker }) => broker.health()));
      const [one, other] = health.map((body) => body?.cluster?.assignment);
      const isSame =
        one !== undefined && one.controllerEpoch === other?.controllerEpoch && one.version === other.version;
      return isSame && health.every((body) => body !== undefined && leads(body));
    });
  }

  /** Clients of all sorts begin to send to every partition; resolves when each has taken a record. */
  async produce(): Promise<void> {
    for (const { client } of this.sides) client.start(TOPIC, PARTITIONS);
    await this.join(this.sides);
  }

  /** Another client, which knows of some brokers at first. */
  async join(sides: readonly Side[]): Promise<void> {
    const load = new Load(kafka(sides.map(({ broker }) => broker.bootstrapServer)), TOPIC);
    this.loads.push(load);
    await load.start(PARTITIONS);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.loads.map((load) => load.stop()), ...this.sides.map(({ client }) => client.stop())]);
  }

  /** The broker that holds the Lease, and the other one. */
  async byControl(): Promise<{ controller: Side; follower: Side }> {
    const [one, other] = this.sides;
    let isOne: boolean | undefined;
    await until("one of the brokers is the controller", BACK_SECONDS, async () => {
      const states = await Promise.all(
        this.sides.map(async ({ broker }) => (await broker.health())?.cluster?.controller),
      );
      const index = states.findIndex((status) => status?.state === "active");
      if (index >= 0) isOne = index === 0;
      return index >= 0;
    });
    return isOne === true ? { controller: one, follower: other } : { controller: other, follower: one };
  }

  /** As an admin client asks for it; the broker that is asked is the controller. */
  async giveAllTo({ broker }: Side): Promise<void> {
    const client = await WireClient.connect(broker.port, undefined, broker.host);
    try {
      const partitions = PARTITIONS.map((partitionIndex) => ({ partitionIndex, replicas: [broker.nodeId] }));
      const message = { timeoutMs: 5_000, topics: [{ name: TOPIC, partitions }] };
      const answer = await client.call<AlterPartitionReassignmentsResponse>(...ALTER_REASSIGNMENTS, message);
      const said = [answer, ...answer.responses.flatMap((topic) => topic.partitions)];
      const refusal = said.find(({ errorCode }) => errorCode !== ErrorCode.NONE);
      if (refusal !== undefined)
        throw new Error(`the partitions cannot be given to ${broker.name}: ${refusal.errorMessage}`);
    } finally {
      client.close();
    }
  }

  get acknowledged(): readonly Acknowledgement[] {
    return this.sides.flatMap(({ client }) => client.acknowledged);
  }

  /** The epochs of the topic's partitions, as the server sees them from now on. */
  async epochs(): Promise<Epochs> {
    const book = (): string => readFileSync(`${this.#home}/epochs`, "utf8");
    const nowMs = Date.now();
    await until("the server looks at the epochs", BACK_SECONDS, () => lookedMs(book()) > nowMs);
    return readEpochs(book());
  }
}

function leads({ healthy, leadership: { led, recovering } }: Health): boolean {
  return healthy && led > 0 && recovering === 0;
}

/** A file system with a volume in it that has the topic, as the operator would make it. */
async function makeImage(home: string): Promise<string> {
  const directory = `${home}/volume/export`;
  mkdirSync(directory, { recursive: true });
  const volume = await openVolume({ directory, sharing: "shared", brokerName: "operator", slotCount: SLOTS });
  await volume.topics.create(TOPIC, PARTITIONS.length, {});
  await volume.close();
  const image = `${home}/volume.image`;
  writeFileSync(image, "");
  truncateSync(image, IMAGE_BYTES);
  execFileSync("mkfs.ext4", ["-q", "-F", "-d", `${home}/volume`, image]);
  return image;
}
