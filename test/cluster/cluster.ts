import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openVolume } from "@kaas/storage";
import { freePort } from "../lib/free-port.js";
import { BrokerProcess, type Health } from "./broker-process.js";
import { plainKubeconfig } from "./plain-kubeconfig.js";

export interface ClusterOptions {
  /** Where the API server is. */
  readonly kubeconfig: string | { readonly server: string };
  readonly brokers: number;
  readonly slots?: number;
  readonly namespace?: string;
  /** A directory of somebody else's, which stays; one of its own by default. */
  readonly dataDirectory?: string;
  /** Names of further volumes: directories beside the data directory. */
  readonly furtherVolumes?: readonly string[];
  /** As `KAAS_LISTENERS` has them; one without TLS and logins by default. */
  readonly listeners?: (kafkaPort: number) => string;
  readonly configs?: readonly string[];
  /** Whether the brokers' wall clocks can be set. */
  readonly hasClocks?: boolean;
}

const COMPLAINTS_MAX = 8;
/** Looks in a row, 50 ms and more apart: brokers look at the volume each second, and what they find may lead to moves. */
const LOOKS_AT_REST = 60;

/** Brokers in processes on one directory of this machine. */
export class Cluster {
  readonly directory: string;
  readonly brokers: BrokerProcess[] = [];
  readonly #options: ClusterOptions;
  readonly #kubeconfig: string;
  readonly #ports: number[] = [];
  #isClosed = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.directory = mkdtempSync(join(tmpdir(), "kaas-cluster-"));
    if (options.dataDirectory === undefined) mkdirSync(this.dataDirectory);
    for (const directory of this.#furtherDirectories) mkdirSync(directory);
    const { kubeconfig } = options;
    this.#kubeconfig = typeof kubeconfig === "string" ? kubeconfig : this.#writeKubeconfig(kubeconfig.server);
  }

  get dataDirectory(): string {
    return this.#options.dataDirectory ?? join(this.directory, "data");
  }

  get #furtherDirectories(): string[] {
    return (this.#options.furtherVolumes ?? []).map((name) => join(this.directory, name));
  }

  get bootstrapServers(): string[] {
    return this.brokers.map(({ place }) => `127.0.0.1:${place.kafkaPort}`);
  }

  /** Topics as the operator would make them. */
  async makeTopics(topics: Readonly<Record<string, number>>): Promise<void> {
    const slotCount = this.#options.slots ?? 10;
    const volume = await openVolume({
      directory: this.dataDirectory,
      sharing: "shared",
      brokerName: "operator",
      slotCount,
    });
    for (const [name, partitions] of Object.entries(topics)) await volume.topics.create(name, partitions, {});
    await volume.close();
  }

  async start(): Promise<void> {
    for (let ordinal = 0; ordinal < this.#options.brokers; ordinal++) {
      for (let n = 0; n < 3; n++) this.#ports.push(await freePort());
      this.brokers.push(this.#spawn(ordinal));
    }
    await this.settled();
  }

  /** Starts a broker under the name of one that has ended. */
  restart(ordinal: number): BrokerProcess {
    if (this.#isClosed) throw new Error("the cluster is closed");
    const broker = this.#spawn(ordinal);
    this.brokers[ordinal] = broker;
    return broker;
  }

  /** Resolves once all brokers that run are ready and all know the same assignment. */
  async settled(timeoutMs = 120_000): Promise<void> {
    await until(async () => {
      const running = this.brokers.filter((broker) => broker.isRunning);
      if (running.length === 0) throw new Error(`no broker runs: ${this.brokers[0]?.log.slice(-2_000)}`);
      const ready = await Promise.all(running.map((broker) => broker.isReady()));
      const health = await Promise.all(running.map((broker) => broker.health()));
      return ready.every(Boolean) && new Set(health.map(versionOf)).size === 1;
    }, timeoutMs);
  }

  /** Resolves once all brokers that run are ready and lead something. */
  async balanced(timeoutMs = 120_000): Promise<void> {
    await this.settled(timeoutMs);
    await until(async () => {
      const running = this.brokers.filter((broker) => broker.isRunning);
      const health = await Promise.all(running.map((broker) => broker.health()));
      return health.every((one) => (one?.leadership.led ?? 0) > 0 && one?.leadership.recovering === 0);
    }, timeoutMs);
    await this.settled(timeoutMs);
  }

  /** Resolves once nothing has been decided for a while, and nothing is on its way: no leadership moves but for a reason. */
  async atRest(timeoutMs = 120_000): Promise<void> {
    let known: string | undefined;
    let looks = 0;
    await until(async () => {
      const version = await this.#restingVersion();
      looks = version !== undefined && version === known ? looks + 1 : 0;
      known = version;
      return looks >= LOOKS_AT_REST;
    }, timeoutMs);
  }

  /** Who has ended, and the last that each broker has complained of, for who wants to know why something failed. */
  complaints(): string[] {
    return this.brokers.flatMap((broker) => {
      const said = broker.log.split("\n").filter((line) => /"level":"(warn|error|fatal)"/.test(line));
      return [...(broker.isRunning ? [] : [broker.howItEnded]), ...said.slice(-COMPLAINTS_MAX)].map(
        (line) => `kaas-${broker.place.ordinal}: ${line}`,
      );
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.brokers.map((broker) => broker.end()));
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** The assignment that all know, while nothing moves and somebody would decide if it had to; undefined otherwise. */
  async #restingVersion(): Promise<string | undefined> {
    const health = await Promise.all(this.brokers.map((broker) => broker.health()));
    const [version, ...others] = new Set(health.map(versionOf));
    const controller = health.map((one) => one?.cluster?.controller).find((one) => one?.state === "active");
    const isAtRest = others.length === 0 && controller?.moving === 0 && controller.leaderless === 0;
    return isAtRest && health.every((one) => one?.leadership.recovering === 0) ? version : undefined;
  }

  #spawn(ordinal: number): BrokerProcess {
    const { slots, namespace, listeners, configs = [], hasClocks } = this.#options;
    const [kafkaPort = 0, peersPort = 0, healthPort = 0] = this.#ports.slice(ordinal * 3);
    return new BrokerProcess({
      ordinal,
      dataDirectory: this.dataDirectory,
      furtherDirectories: this.#furtherDirectories,
      kafkaPort,
      ...(listeners === undefined ? {} : { listeners: listeners(kafkaPort) }),
      peersPort,
      healthPort,
      kubeconfig: this.#kubeconfig,
      logFile: join(this.directory, `kaas-${ordinal}.log`),
      ...(hasClocks === true ? { clockFile: join(this.directory, `kaas-${ordinal}.clock`) } : {}),
      namespace: namespace ?? "default",
      configs: [`offsets.topic.num.partitions=${slots ?? 10}`, "group.initial.rebalance.delay.ms=0", ...configs],
    });
  }

  #writeKubeconfig(server: string): string {
    const path = join(this.directory, "kubeconfig");
    writeFileSync(path, plainKubeconfig(server));
    return path;
  }
}

function versionOf(health: Health | undefined): string {
  const { controllerEpoch, version } = health?.cluster?.assignment ?? {};
  return `${controllerEpoch}-${version}`;
}

/** Looks often until something holds. */
export async function until(holds: () => Promise<boolean>, timeoutMs: number, everyMs = 50): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`it does not hold after ${timeoutMs} ms: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
