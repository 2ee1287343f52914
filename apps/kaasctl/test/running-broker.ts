import {
  BrokerConfig,
  deriveScramCredential,
  KafkaBroker,
  type ListenerOptions,
  type ScramMechanism,
  silentLog,
} from "@kaas/core";
import { openMemoryVolume, systemClock, systemRandom, type Volume } from "@kaas/storage";

/** A broker in memory that is alone and serves, and what it runs on. */
export interface RunningBroker {
  readonly broker: KafkaBroker;
  readonly volume: Volume;
  /** As `--bootstrap-server` takes it; of the first listener, or of the one that is named. */
  address(listenerName?: string): string;
  /** Lets a user log in by password. */
  addUser(user: string, password: string, mechanism?: ScramMechanism): Promise<void>;
  close(): Promise<void>;
}

const PLAINTEXT: readonly ListenerOptions[] = [{ name: "PLAINTEXT", host: "127.0.0.1", port: 0 }];

/** Starts a broker on free ports. */
export async function startBroker(
  config: Readonly<Record<string, string>> = {},
  listeners: readonly ListenerOptions[] = PLAINTEXT,
): Promise<RunningBroker> {
  const volume = await openMemoryVolume({ clock: systemClock, random: systemRandom, log: silentLog });
  const broker = new KafkaBroker({
    config: new BrokerConfig({ "node.id": "7", ...config }),
    listeners,
    logs: volume.logs,
    journals: volume.slotJournals,
    files: volume.files,
    catalog: volume.topics,
    admin: volume.topics,
    credentials: volume.credentials,
    userAdmin: volume.credentials,
    acls: volume.acls,
    aclAdmin: volume.acls,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  });
  await broker.start();
  return {
    broker,
    volume,
    address(listenerName) {
      const { host, port } =
        broker.endpoints.find((one) => listenerName === undefined || one.listenerName === listenerName) ?? {};
      return `${host}:${port}`;
    },
    async addUser(user, password, mechanism = "SCRAM-SHA-512") {
      const credential = await deriveScramCredential(mechanism, password, Buffer.from("salt"), 4_096);
      await volume.credentials.alterScram({ user, upserts: new Map([[mechanism, credential]]), deletions: new Set() });
    },
    async close() {
      await broker.close();
      await volume.close();
    },
  };
}
