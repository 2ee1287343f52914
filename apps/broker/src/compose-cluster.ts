import { hostname } from "node:os";
import {
  AssignmentView,
  type BrokerConfig,
  type Clock,
  KafkaBroker,
  type Log,
  type TopicPartitions,
  type Timer,
} from "@kaas/core";
import { visibleChanges } from "@kaas/k8s";
import {
  defaultClusterDirectory,
  ExternalAddressesFile,
  hasSuccessor,
  openVolume,
  posixFileSystem,
  systemClock,
  systemRandom,
  type Volume,
} from "@kaas/storage";
import type { ServingBroker } from "./compose.js";
import { type ControlSettings, PEERS_ENDPOINT_PREFIX } from "./control/control-settings.js";
import { ControlThread, type StartControl } from "./control/control-thread.js";
import { DataPlaneReporter } from "./control/data-plane-reporter.js";
import { remoteServices } from "./control/remote-services.js";
import { ExternalAddresses } from "./external-addresses.js";
import { secretFiles } from "./secret-files.js";
import type { ClusterSettings, HealthSettings } from "./settings/cluster-settings.js";
import { listenersOf } from "./settings/listeners.js";
import { volumeOptionsOf } from "./volume-options.js";
import { metricsText } from "./volume-metrics.js";

/** Topics that nobody has told of are looked for so often. */
const DISCOVERY_INTERVAL_MS = 10_000;
/** Topics that come together are told together. */
const GATHER_MS = 50;

export interface ClusterServeOptions {
  readonly config: BrokerConfig;
  /** The data directory, and further ones. */
  readonly directories: readonly [string, ...string[]];
  readonly log: Log;
  readonly logLevel: string;
  readonly isTerminal: boolean;
  readonly version: string;
  readonly cluster: ClusterSettings;
  readonly health: HealthSettings | undefined;
  /** Wall clock at this start, in place or of the process: of two brokers of one name the later one counts. */
  readonly startedMs: number;
}

/**
 * Starts a broker that is one of several on a shared volume. It serves what the assignments on the volume give it, with
 * or without Kubernetes.
 *
 * @throws KaasError KAAS_CONFIG_INVALID, KAAS_LISTENER_FAILED, KAAS_VOLUME_INVALID, KAAS_STORAGE_FAILED; nothing is left
 *   open then.
 */
export async function serveInCluster(
  options: ClusterServeOptions,
  startControl: StartControl = ControlThread.start,
): Promise<ServingBroker> {
  const { log } = options;
  const incarnation = systemRandom.uuid();
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const undo of opened.splice(0).reverse()) await undo();
  };
  try {
    const control = await startControl(controlSettings(options, incarnation), systemClock, log);
    opened.push(() => control.stop());
    const { view, volume } = await openShared(options, incarnation);
    opened.push(() => volume.close());
    const broker = await compose(options, control, view, volume);
    opened.push(() => broker.close());
    opened.push(follow(control, view, volume, broker, log));
    await control.join(volume.slotJournals.slotCount);
    await broker.start();
    const external = externalAddresses(options, () => {
      view.advertise(external.advertised(broker.endpoints));
      reporter.flush();
    });
    const reporter = reporterOf(control, volume, broker, external);
    opened.push(async () => external.stop());
    await external.start();
    reporter.start();
    opened.push(async () => reporter.stop());
    const { drainMs } = options.cluster;
    return {
      broker,
      fenced: Promise.race([volume.fenced, control.failed]),
      isSuperseded: () =>
        hasSuccessor(posixFileSystem, clusterDirectoryOf(options), {
          broker: options.cluster.identity.name,
          incarnation,
        }),
      close: async () => {
        if (volume.status() !== "fenced") await drain(control, broker, view, drainMs);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function controlSettings(options: ClusterServeOptions, incarnation: string): ControlSettings {
  const { config, cluster, version, logLevel, isTerminal, health, startedMs } = options;
  const { identity, clusterName, peers, podUid, service, nodeName, rackTopologyKey } = cluster;
  return {
    name: identity.name,
    incarnation,
    version,
    logLevel,
    isTerminal,
    health,
    cluster: {
      nodeId: identity.ordinal,
      namespace: identity.namespace,
      set: identity.set,
      clusterName,
      service,
      rack: config.text("broker.rack") ?? null,
      rackTopologyKey,
      nodeName,
      startedMs,
      clusterDirectory: clusterDirectoryOf(options),
      peers: { host: peers.host, port: peers.port, token: peers.token },
      kubeconfig: undefined,
      podUid,
    },
  };
}

function clusterDirectoryOf({ cluster, directories }: ClusterServeOptions): string {
  return cluster.clusterDirectory ?? defaultClusterDirectory(directories[0]);
}

async function openShared(
  { config, directories, log, version, cluster }: ClusterServeOptions,
  incarnation: string,
): Promise<{ view: AssignmentView; volume: Volume }> {
  const { identity, peers, clusterDirectory } = cluster;
  const rack = config.text("broker.rack") ?? null;
  const view = new AssignmentView({ nodeId: identity.ordinal, name: identity.name, incarnation, rack });
  const [directory, ...furtherDirectories] = directories;
  const volume = await openVolume({
    ...volumeOptionsOf(config),
    log,
    directory,
    furtherDirectories,
    ...(clusterDirectory === undefined ? {} : { clusterDirectory }),
    sharing: "shared",
    brokerName: identity.name,
    incarnation,
    brokerVersion: version,
    brokerEndpoints: [...config.list("listeners"), `${PEERS_ENDPOINT_PREFIX}${peers.address}`],
    isAlive: (_broker, other) => view.isAlive(other),
  });
  return { view, volume };
}

async function compose(
  { config, log }: ClusterServeOptions,
  control: ControlThread,
  view: AssignmentView,
  volume: Volume,
): Promise<KafkaBroker> {
  const services = remoteServices((call) => control.call(call));
  const { credentials, acls } = volume;
  const changes = visibleChanges({ ...services, credentials, bindings: acls, clock: systemClock });
  await config.loadDynamic(volume.files);
  return new KafkaBroker({
    config,
    listeners: listenersOf(config, hostname),
    logs: volume.logs,
    journals: volume.slotJournals,
    files: volume.files,
    catalog: volume.topics,
    admin: services.topics,
    cluster: view,
    wishes: services.wishes,
    credentials,
    userAdmin: changes.users,
    acls,
    aclAdmin: changes.acls,
    secretFiles,
    clock: systemClock,
    random: systemRandom,
    log,
  });
}

/** Does what the control plane says; returns what ends that. */
function follow(
  control: ControlThread,
  view: AssignmentView,
  volume: Volume,
  broker: KafkaBroker,
  log: Log,
): () => Promise<void> {
  const { topics } = volume;
  const look = (looking: Promise<void> | undefined): void => {
    looking?.catch((error: unknown) => log.warn({ err: error }, "a topic cannot be read from the volume"));
  };
  control.listen({
    assigned: (assignment) => void view.adopt(assignment),
    topicChanged: (name, topicId) =>
      look(topicId === undefined ? topics.refresh?.(name) : topics.reinstate?.(name, topicId)),
    topicDeleted: (name, topicId) => {
      if (topicId !== undefined) look(topics.retract?.(name, topicId));
    },
    metrics: () => metricsText(broker, volume),
  });
  const told = new TopicsTeller(control, volume, systemClock);
  return async () => told.stop();
}

/** Where clients from outside reach this broker; written by the operator. */
function externalAddresses(options: ClusterServeOptions, changed: () => void): ExternalAddresses {
  const { cluster, log } = options;
  const files = { fileSystem: posixFileSystem, random: systemRandom };
  const file = new ExternalAddressesFile(files, clusterDirectoryOf(options));
  const { nodeAddress, identity } = cluster;
  return new ExternalAddresses({ file, nodeId: identity.ordinal, nodeAddress, clock: systemClock, log, changed });
}

function reporterOf(
  control: ControlThread,
  volume: Volume,
  broker: KafkaBroker,
  external: ExternalAddresses,
): DataPlaneReporter {
  return new DataPlaneReporter({
    broker: {
      get endpoints() {
        return [...external.advertised(broker.endpoints)];
      },
      leadershipReport: () => broker.leadershipReport(),
      onLeadershipChange: (callback) => broker.onLeadershipChange(callback),
    },
    volume,
    clock: systemClock,
    send: (message) => control.send(message),
    isInCluster: true,
  });
}

/** Lets others take over while this broker still serves, if there are any. */
async function drain(
  control: ControlThread,
  broker: KafkaBroker,
  view: AssignmentView,
  drainMs: number,
): Promise<void> {
  control.send({ type: "drain" });
  const hasOthers = view
    .brokers()
    .some(({ nodeId, isAlive, isFenced }) => nodeId !== view.nodeId && isAlive && !isFenced);
  await broker.drain(hasOthers ? drainMs : 0);
}

/** Tells the control plane which topics the volume has, and looks for those that nobody has told of. */
class TopicsTeller {
  readonly #control: ControlThread;
  readonly #volume: Volume;
  readonly #clock: Clock;
  readonly #listener = { topicChanged: () => this.#gather(), topicDeleted: () => this.#gather() };
  #gathering: Timer | undefined;
  #discovery: Timer | undefined;

  constructor(control: ControlThread, volume: Volume, clock: Clock) {
    this.#control = control;
    this.#volume = volume;
    this.#clock = clock;
    volume.topics.addListener(this.#listener);
    this.#gather();
    this.#discoverLater();
  }

  stop(): void {
    this.#volume.topics.removeListener(this.#listener);
    this.#gathering?.cancel();
    this.#discovery?.cancel();
  }

  #gather(): void {
    this.#gathering ??= this.#clock.schedule(GATHER_MS, () => {
      this.#gathering = undefined;
      const topics = Array.from(
        this.#volume.topics.topics(),
        ({ id, name, partitionCount }): TopicPartitions => ({ topicId: id, name, partitionCount }),
      );
      this.#control.send({ type: "topics", topics });
    });
  }

  #discoverLater(): void {
    this.#discovery = this.#clock.schedule(DISCOVERY_INTERVAL_MS, () => {
      void this.#volume.topics.discover?.();
      this.#discoverLater();
    });
  }
}
