import type { Clock, Log, Random } from "@kaas/core";
import type { KubernetesApi, LeaseTiming } from "@kaas/k8s";
import {
  AclsFile,
  CredentialsFile,
  defaultClusterDirectory,
  ExternalAddressesFile,
  type FileSystem,
  posixFileSystem,
  storageFailure,
  systemClock,
  systemRandom,
  TopicDirectories,
  VolumeInspection,
} from "@kaas/storage";
import { Operator } from "./leading/operator.js";

/** How an operator is opened on a volume. */
export interface OpenOperatorOptions {
  readonly api: KubernetesApi;
  readonly namespace: string;
  /** Name of the KafkaCluster, and of the StatefulSet that runs its brokers. */
  readonly clusterName: string;
  /** Of this process and no other. */
  readonly identity: string;
  /** Where the volume is mounted. */
  readonly dataDirectory: string;
  /** Where the cluster's own files are; `__cluster` in the data directory by default. */
  readonly clusterDirectory?: string;
  /** Where further volumes are mounted. */
  readonly furtherDirectories?: readonly string[];
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly fileSystem?: FileSystem;
  readonly leaseTiming?: Partial<LeaseTiming>;
}

/**
 * An operator for a volume. Makes the directory of the cluster's files unless it is there; starts nothing.
 *
 * @throws KaasError KAAS_STORAGE_FAILED when that cannot be made.
 */
export async function openOperator(options: OpenOperatorOptions): Promise<Operator> {
  const { dataDirectory, furtherDirectories = [], log, api, namespace, clusterName, identity, leaseTiming } = options;
  const { clock = systemClock, random = systemRandom, fileSystem = posixFileSystem } = options;
  const clusterDirectory = options.clusterDirectory ?? defaultClusterDirectory(dataDirectory);
  await makeDirectory(fileSystem, clusterDirectory);
  const files = { fileSystem, random };
  return new Operator({
    api,
    namespace,
    clusterName,
    identity,
    directories: new TopicDirectories({ directory: dataDirectory, furtherDirectories, fileSystem, random, log }),
    credentials: new CredentialsFile(files, clusterDirectory),
    acls: new AclsFile(files, clusterDirectory),
    addresses: new ExternalAddressesFile(files, clusterDirectory),
    clusterId: () => readClusterId(dataDirectory, clusterDirectory, fileSystem),
    clock,
    random,
    log,
    ...(leaseTiming === undefined ? {} : { leaseTiming }),
  });
}

async function makeDirectory(fileSystem: FileSystem, path: string): Promise<void> {
  try {
    await fileSystem.makeDirectory(path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") {
      throw storageFailure(`the directory ${path} cannot be made`, error);
    }
  }
}

/** Undefined until the first broker has started. */
async function readClusterId(
  directory: string,
  clusterDirectory: string,
  fileSystem: FileSystem,
): Promise<string | undefined> {
  try {
    const inspection = await VolumeInspection.open({ directory, clusterDirectory, fileSystem });
    return (await inspection.cluster()).clusterId;
  } catch {
    return undefined; // it is a nicety of the status, and whoever needs the file says what is wrong with it
  }
}
