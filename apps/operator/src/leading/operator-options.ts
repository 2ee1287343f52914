import type { Clock, Log, Random } from "@kaas/core";
import type { KubernetesApi, LeaseTiming } from "@kaas/k8s";
import type { AclsFile, CredentialsFile, ExternalAddressesFile, TopicDirectories } from "@kaas/storage";

/** What an operator works with. */
export interface OperatorOptions {
  readonly api: KubernetesApi;
  /** The namespace whose resources it looks after. */
  readonly namespace: string;
  /** Name of the KafkaCluster that the volume belongs to, and of the StatefulSet that runs its brokers. */
  readonly clusterName: string;
  /** Of this process, among those that may run. */
  readonly identity: string;
  readonly directories: TopicDirectories;
  readonly credentials: CredentialsFile;
  readonly acls: AclsFile;
  readonly addresses: ExternalAddressesFile;
  /** Kafka's cluster id; undefined before brokers have made one. */
  readonly clusterId: () => Promise<string | undefined>;
  readonly clock: Clock;
  /** Passwords and salts come from it too. */
  readonly random: Random;
  readonly log: Log;
  readonly leaseTiming?: Partial<LeaseTiming>;
}
