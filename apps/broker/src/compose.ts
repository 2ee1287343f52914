import { hostname } from "node:os";
import { type BrokerConfig, type KaasError, KafkaBroker, type Log } from "@kaas/core";
import {
  defaultClusterDirectory,
  hasSuccessor,
  openMemoryVolume,
  openVolume,
  posixFileSystem,
  systemClock,
  systemRandom,
  type Volume,
  type VolumeOptions,
} from "@kaas/storage";
import { secretFiles } from "./secret-files.js";
import { listenersOf } from "./settings/listeners.js";
import { volumeOptionsOf } from "./volume-options.js";

/** A broker that serves, and what it runs on. */
export interface ServingBroker {
  readonly broker: KafkaBroker;
  /** Resolves once another broker has taken over: this one answers nothing but that it leads nothing any more. */
  readonly fenced: Promise<KaasError>;
  /** Whether another process of its name uses the volume. Rejects when the volume cannot be read. */
  isSuperseded(): Promise<boolean>;
  /** Answers what is under way, hands everything over and lets go of it. */
  close(): Promise<void>;
}

/** One that has a volume to itself. */
export interface SoleServingBroker extends ServingBroker {
  readonly volume: Volume;
}

/**
 * Puts a broker together and starts it: the machine's clocks and randomness, a volume in a directory or in memory.
 *
 * @param directories the data directory, and further ones for partitions; none: in memory
 * @throws KaasError KAAS_CONFIG_INVALID, KAAS_LISTENER_FAILED, KAAS_VOLUME_LOCKED, KAAS_VOLUME_INVALID,
 *   KAAS_STORAGE_FAILED; nothing is left open then.
 */
export async function serve(
  config: BrokerConfig,
  directories: readonly string[],
  log: Log,
  version = "",
): Promise<SoleServingBroker> {
  const listeners = listenersOf(config, hostname);
  const brokerEndpoints = config.list("listeners");
  const brokerName = `kaas-${config.nodeId}`;
  const incarnation = systemRandom.uuid();
  const given = { log, brokerName, incarnation, brokerVersion: version, brokerEndpoints };
  const volume = await open(config, directories, given);
  const isSuperseded = async (): Promise<boolean> => {
    const [directory] = directories;
    if (directory === undefined) return false; // nobody else reaches the memory of this process
    return hasSuccessor(posixFileSystem, defaultClusterDirectory(directory), { broker: brokerName, incarnation });
  };
  const close = async (broker: KafkaBroker | undefined): Promise<void> => {
    try {
      await broker?.close();
    } finally {
      await volume.close();
    }
  };
  let broker: KafkaBroker | undefined;
  try {
    await config.loadDynamic(volume.files);
    broker = new KafkaBroker({
      config,
      listeners,
      logs: volume.logs,
      journals: volume.slotJournals,
      files: volume.files,
      catalog: volume.topics,
      admin: volume.topics,
      credentials: volume.credentials,
      userAdmin: volume.credentials,
      secretFiles,
      acls: volume.acls,
      aclAdmin: volume.acls,
      clock: systemClock,
      random: systemRandom,
      log,
    });
    await broker.start();
  } catch (error) {
    await close(broker);
    throw error;
  }
  const serving = broker;
  return { broker: serving, volume, fenced: volume.fenced, isSuperseded, close: () => close(serving) };
}

function open(
  config: BrokerConfig,
  [directory, ...furtherDirectories]: readonly string[],
  given: Pick<VolumeOptions, "log" | "brokerName" | "incarnation" | "brokerVersion" | "brokerEndpoints">,
): Promise<Volume> {
  const options: Omit<VolumeOptions, "directory"> = {
    ...volumeOptionsOf(config),
    ...given,
  };
  return directory === undefined
    ? openMemoryVolume(options)
    : openVolume({ ...options, directory, furtherDirectories });
}
