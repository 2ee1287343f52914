import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../../apps/broker/dist/main.cjs", import.meta.url));
const movingClock = fileURLToPath(new URL("moving-clock.cjs", import.meta.url));

export interface BrokerPlace {
  readonly ordinal: number;
  readonly dataDirectory: string;
  /** Further directories for partitions. */
  readonly furtherDirectories?: readonly string[];
  readonly kafkaPort: number;
  /** As `KAAS_LISTENERS` has them; one without TLS and logins by default. */
  readonly listeners?: string;
  readonly peersPort: number;
  readonly healthPort: number;
  readonly kubeconfig: string;
  readonly logFile: string;
  readonly namespace: string;
  readonly configs?: readonly string[];
  /** Holds by how many milliseconds its wall clock is off. */
  readonly clockFile?: string;
}

/** One broker of a cluster, as a process of its own. */
export class BrokerProcess {
  readonly place: BrokerPlace;
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;

  constructor(place: BrokerPlace) {
    this.place = place;
    const { ordinal, dataDirectory, kafkaPort, peersPort, healthPort, kubeconfig, logFile, namespace, clockFile } =
      place;
    const { furtherDirectories = [], configs = [] } = place;
    const log = openSync(logFile, "a");
    const overrides = configs.flatMap((config) => ["--override", config]);
    this.#child = spawn(process.execPath, [command, ...overrides], {
      stdio: ["ignore", log, log],
      env: {
        PATH: process.env["PATH"] ?? "",
        MY_POD_NAME: `kaas-${ordinal}`,
        MY_POD_NAMESPACE: namespace,
        MY_POD_IP: "127.0.0.1",
        KUBECONFIG: kubeconfig,
        KAAS_DATA_DIR: [dataDirectory, ...furtherDirectories].join(","),
        KAAS_LISTENERS: place.listeners ?? `PLAINTEXT://127.0.0.1:${kafkaPort}`,
        KAAS_PEERS_HOST: "127.0.0.1",
        KAAS_PEERS_PORT: `${peersPort}`,
        KAAS_PEERS_TOKEN: "0123456789abcdef0123456789abcdef",
        KAAS_HEALTH_HOST: "127.0.0.1",
        KAAS_HEALTH_PORT: `${healthPort}`,
        ...(clockFile === undefined
          ? {}
          : { KAAS_TEST_CLOCK: clockFile, NODE_OPTIONS: `--require=${JSON.stringify(movingClock)}` }),
      },
    });
    this.ended = new Promise((resolve) => this.#child.once("exit", resolve));
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get howItEnded(): string {
    const { exitCode, signalCode } = this.#child;
    return signalCode === null ? `it has ended with code ${exitCode}` : `it has ended by ${signalCode}`;
  }

  /** Sets its wall clock. */
  setClock(offMs: number): void {
    const { clockFile } = this.place;
    if (clockFile === undefined) throw new Error("this broker's clock cannot be set");
    writeFileSync(clockFile, `${offMs}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async end(): Promise<void> {
    if (this.isRunning) this.#child.kill("SIGCONT");
    if (this.isRunning) this.#child.kill("SIGKILL");
    await this.ended;
  }

  /** The body of `/healthz`; undefined where nobody answers. */
  async health(): Promise<Health | undefined> {
    return (await this.#get("/healthz")) as Health | undefined;
  }

  async isReady(): Promise<boolean> {
    return ((await this.#get("/readyz")) as { ready: boolean } | undefined)?.ready === true;
  }

  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.place.healthPort}/metrics`)).text();
  }

  /** What it has said. */
  get log(): string {
    return readFileSync(this.place.logFile, "utf8");
  }

  async #get(path: string): Promise<unknown> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.place.healthPort}${path}`, {
        signal: AbortSignal.timeout(10_000),
      });
      return await response.json();
    } catch {
      return undefined;
    }
  }
}

export interface Health {
  readonly healthy: boolean;
  readonly incarnation: string;
  readonly leadership: { readonly led: number; readonly assigned: number; readonly recovering: number };
  /** Undefined before the volume is open. */
  readonly cluster?: {
    readonly controllerId: number;
    readonly leaseHolder: string | null;
    readonly heardByController: boolean;
    readonly assignment: { readonly controllerEpoch: number; readonly version: number };
    readonly controller: { readonly state: string; readonly moving: number; readonly leaderless: number };
    readonly topicWatch: string;
  };
}
