import {
  KAFKA_CLUSTERS,
  KAFKA_TOPICS,
  KAFKA_USERS,
  type KubernetesObject,
  type Resource,
  type WatchedSetListener,
} from "@kaas/k8s";
import { type KafkaCluster, type KafkaTopic, type KafkaUser, topicNameOf, usernameOf } from "@kaas/operator-api";
import { clusterAuthorityName } from "../clusters/cluster-authority.js";
import { ownerOf } from "../clusters/namespace-owner.js";
import { CLUSTER_LABEL } from "../kubernetes/ownership.js";
import { SECRETS, type Secret, SERVICES, type Service } from "../kubernetes/resources.js";
import { Followed } from "../reconciling/followed.js";
import type { OperatorOptions } from "./operator-options.js";
import { isSecretOf, isWanted, topicsView, usersOfSecret, usersView } from "./triggers.js";

/** What is to be done about what is seen. */
export interface Duties {
  /** A KafkaTopic, by its name, is to be looked at. */
  topic(name: string): void;
  user(name: string): void;
  cluster(name: string): void;
  /** A KafkaTopic is gone that had this topic. */
  topicGone(object: string, topicName: string, topicId: string | undefined): void;
  userGone(object: string, username: string): void;
}

/** Everything that is followed, and what follows from it. */
export class Watching {
  readonly #options: OperatorOptions;
  readonly #duties: Duties;
  readonly #topics: Followed<KafkaTopic>;
  readonly #users: Followed<KafkaUser>;
  readonly #clusters: Followed<KafkaCluster>;
  #ownerUid: string | undefined;
  readonly #others: readonly [Followed<Secret>, Followed<Service>];

  constructor(options: OperatorOptions, duties: Duties) {
    this.#options = options;
    this.#duties = duties;
    this.#topics = this.#follow(KAFKA_TOPICS, {
      changed: (topic, before) => this.#topicChanged(topic, before),
      deleted: (topic) => this.#topicDeleted(topic),
    });
    this.#users = this.#follow(KAFKA_USERS, {
      changed: (user, before) => isWanted(user, before) && duties.user(user.metadata.name),
      deleted: (user) => duties.userGone(user.metadata.name, user.status?.username ?? usernameOf(user)),
    });
    this.#clusters = this.#follow(KAFKA_CLUSTERS, {
      changed: (cluster, before) => this.#clusterChanged(cluster, before),
      deleted: (cluster) => this.#clusterChanged(undefined, cluster),
    });
    const secretNoticed = ({ metadata }: Secret): void => this.#secretNoticed(metadata.name);
    const serviceNoticed = (service: Service): void => this.#serviceNoticed(service);
    this.#others = [
      // Of Secrets only that they are there, and that they change: what is in them is asked for when it is needed.
      this.#follow(SECRETS, { changed: secretNoticed, deleted: secretNoticed }, withoutData),
      this.#follow(SERVICES, { changed: serviceNoticed, deleted: serviceNoticed }),
    ];
  }

  /** Resolves when all custom resources have been told once. Secrets and Services only say when to look again. */
  get synced(): Promise<unknown> {
    return Promise.all([this.#topics, this.#users, this.#clusters].map(({ synced }) => synced));
  }

  /** Whether everything that is followed is known. */
  get isSynced(): boolean {
    return this.#all.every(({ isSynced }) => isSynced);
  }

  topics(): readonly KafkaTopic[] {
    return this.#topics.objects();
  }

  users(): readonly KafkaUser[] {
    return this.#users.objects();
  }

  topic(name: string): KafkaTopic | undefined {
    return this.#topics.get(name, this.#options.namespace);
  }

  user(name: string): KafkaUser | undefined {
    return this.#users.get(name, this.#options.namespace);
  }

  /** Any KafkaCluster of the namespace. */
  clusterOf(name: string): KafkaCluster | undefined {
    return this.#clusters.get(name, this.#options.namespace);
  }

  /** The KafkaCluster that the namespace belongs to, with its topics and users. */
  owner(): KafkaCluster | undefined {
    return ownerOf(this.#clusters.objects());
  }

  /** Whether the namespace is that of this operator's cluster, or of none. */
  get isOurs(): boolean {
    return (this.owner()?.metadata.name ?? this.#options.clusterName) === this.#options.clusterName;
  }

  /** The cluster that the volume belongs to. */
  cluster(): KafkaCluster | undefined {
    return this.#clusters.get(this.#options.clusterName, this.#options.namespace);
  }

  start(): void {
    for (const followed of this.#all) followed.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((followed) => followed.stop()));
  }

  get #all(): readonly Pick<Followed<KubernetesObject>, "start" | "stop" | "isSynced" | "synced">[] {
    return [this.#topics, this.#users, this.#clusters, ...this.#others];
  }

  #follow<T extends KubernetesObject>(
    resource: Resource<T>,
    told: { readonly changed: (object: T, before: T | undefined) => unknown; readonly deleted: (object: T) => void },
    keep: (object: T) => T = (object) => object,
  ): Followed<T> {
    const { api, namespace, clock, random, log } = this.#options;
    const changed: WatchedSetListener<T>["changed"] = (object, before) => void told.changed(object, before);
    return new Followed({ api, resource, namespace, clock, random, log, changed, deleted: told.deleted, keep });
  }

  #topicChanged(topic: KafkaTopic, before: KafkaTopic | undefined): void {
    if (isWanted(topic, before)) this.#duties.topic(topic.metadata.name);
  }

  #topicDeleted(topic: KafkaTopic): void {
    const name = topicNameOf(topic);
    this.#duties.topicGone(topic.metadata.name, name, topic.status?.topicId);
    // Another one may have waited for the name.
    for (const other of this.topics()) if (topicNameOf(other) === name) this.#duties.topic(other.metadata.name);
  }

  #clusterChanged(cluster: KafkaCluster | undefined, before: KafkaCluster | undefined): void {
    if (this.#hasOtherOwner()) return this.#lookAtAll();
    const { name = "" } = (cluster ?? before)?.metadata ?? {};
    if (cluster !== undefined && isWanted(cluster, before)) this.#duties.cluster(name);
    if (name !== this.#options.clusterName) return;
    if (topicsView(cluster) !== topicsView(before)) {
      for (const { metadata } of this.topics()) this.#duties.topic(metadata.name);
    }
    if (usersView(cluster) !== usersView(before)) {
      for (const { metadata } of this.users()) this.#duties.user(metadata.name);
    }
  }

  #hasOtherOwner(): boolean {
    const before = this.#ownerUid;
    this.#ownerUid = this.owner()?.metadata.uid;
    return this.#ownerUid !== before;
  }

  /** Whose the namespace is decides about everything that is in it. */
  #lookAtAll(): void {
    for (const { metadata } of this.#clusters.objects()) this.#duties.cluster(metadata.name);
    for (const { metadata } of this.topics()) this.#duties.topic(metadata.name);
    for (const { metadata } of this.users()) this.#duties.user(metadata.name);
  }

  #secretNoticed(name: string): void {
    const cluster = this.cluster();
    if (cluster !== undefined && isSecretOf(name, cluster)) this.#duties.cluster(cluster.metadata.name);
    // Whom to trust stands in the Secret of every user.
    const isForAll = name === clusterAuthorityName(this.#options.clusterName);
    const users = isForAll ? this.users() : usersOfSecret(name, this.users());
    for (const { metadata } of users) this.#duties.user(metadata.name);
  }

  #serviceNoticed({ metadata }: Service): void {
    const cluster = metadata.labels?.[CLUSTER_LABEL];
    if (cluster === this.#options.clusterName) this.#duties.cluster(cluster);
  }
}

function withoutData({ apiVersion, kind, metadata }: Secret): Secret {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
}
