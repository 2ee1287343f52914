import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Health } from "../cluster/broker-process.js";
import { clientGuest, type Guest } from "./guests.js";

const COMMAND = fileURLToPath(new URL("../../apps/broker/dist/main.cjs", import.meta.url));
const FIRST_NUMBER = 3;
const PORTS = { kafka: 9092, peers: 9094, health: 8080 } as const;
const ANSWER_MS = 2_000;

/** A broker, which is all that runs in a kernel of its own; its data directory is the volume of the NFS server. */
export class GuestBroker {
  readonly name: string;
  readonly nodeId: number;
  readonly guest: Guest;

  constructor(home: string, nodeId: number, server: Guest, kubeconfig: string) {
    this.name = `kaas-${nodeId}`;
    this.nodeId = nodeId;
    const command = [process.execPath, COMMAND, "--override group.initial.rebalance.delay.ms=0"].join(" ");
    this.guest = clientGuest(home, this.name, FIRST_NUMBER + nodeId, server, command);
    const environment = {
      MY_POD_NAME: this.name,
      MY_POD_NAMESPACE: "default",
      MY_POD_IP: this.guest.address("cluster"),
      KUBECONFIG: kubeconfig,
      KAAS_DATA_DIR: "/mnt",
      KAAS_LISTENERS: `PLAINTEXT://${this.guest.address("clients")}:${PORTS.kafka}`,
      KAAS_PEERS_HOST: this.guest.address("cluster"),
      KAAS_PEERS_PORT: PORTS.peers,
      KAAS_PEERS_TOKEN: "0123456789abcdef0123456789abcdef",
      KAAS_HEALTH_HOST: this.guest.address("clients"),
      KAAS_HEALTH_PORT: PORTS.health,
    };
    const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(`${home}/${this.name}.env`, lines.join(""));
    this.guest.boot();
  }

  get host(): string {
    return this.guest.address("clients");
  }

  get port(): number {
    return PORTS.kafka;
  }

  get bootstrapServer(): string {
    return `${this.host}:${this.port}`;
  }

  /** The body of `/healthz`; undefined where nobody answers. */
  async health(): Promise<Health | undefined> {
    try {
      const url = `http://${this.host}:${PORTS.health}/healthz`;
      const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
      return (await response.json()) as Health;
    } catch {
      return undefined;
    }
  }
}
