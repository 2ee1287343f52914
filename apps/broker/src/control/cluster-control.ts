import {
  type Assignment,
  type Clock,
  Controller,
  type ControllerApi,
  type HeartbeatReport,
  LedChanges,
  type Log,
  type Random,
  type TopicPartitions,
} from "@kaas/core";
import {
  AssignmentsMirror,
  EndpointWatch,
  KafkaTopicWriter,
  KafkaUserWriter,
  type KubernetesApi,
  LeaseElector,
  ReadinessGate,
  type RegisteredBroker,
  ServerPresence,
  TopicWatch,
  type WatchedTopic,
} from "@kaas/k8s";
import { AssignmentFiles, DrainWishes, type FileSystem, hasSuccessor, incarnationEndpoints } from "@kaas/storage";
import { type ClusterControlSettings, PEERS_ENDPOINT_PREFIX } from "./control-settings.js";
import { departedController } from "./departed-controller.js";
import { DrainWatch } from "./drain-watch.js";
import { AssignmentFollower } from "./follower.js";
import type { ClusterCondition } from "./health-view.js";
import { ControllerSearch, type Publisher } from "./controller-search.js";
import { leaseIdentity, parseLeaseIdentity } from "./lease-identity.js";
import type { ControlServices, DataPlaneStatus, LedChange } from "./messages.js";
import { type ControllerTarget, HeartbeatSender } from "./peers/heartbeat-sender.js";
import { OwnRack } from "./own-rack.js";
import type { PeerEnd, PeerNetwork } from "./peers/peer-network.js";
import { RemoteWishes } from "./remote-wishes.js";

/**
 * A controller that died is replaced after two seconds at the earliest. One that the API server is slow for loses the
 * lease sooner for it, which moves no leader.
 */
const LEASE_TIMING = { durationMs: 2_000, renewDeadlineMs: 1_400, retryMs: 400 } as const;
/** A lease that was given up for another controller's sake is not asked for again sooner. */
const ELECTION_PAUSE_MS = 1_000;

export interface ClusterControlOptions {
  readonly settings: ClusterControlSettings;
  readonly name: string;
  readonly incarnation: string;
  readonly slotCount: number;
  readonly api: KubernetesApi;
  readonly network: PeerNetwork;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly isAlive: () => boolean;
  readonly adopted: (assignment: Assignment) => void;
  readonly topicChanged: (topic: WatchedTopic) => void;
  readonly topicDeleted: (topic: WatchedTopic) => void;
}

/** This broker's part in the cluster: is heard by the controller, follows it, and is it when it holds the lease. */
export class ClusterControl {
  readonly services: ControlServices;
  readonly #options: ClusterControlOptions;
  readonly #controller: ControllerApi;
  readonly #follower: AssignmentFollower;
  readonly #mirror: AssignmentsMirror;
  readonly #files: AssignmentFiles;
  readonly #drainWatch: DrainWatch;
  readonly #led = new LedChanges();
  readonly #search = new ControllerSearch();
  readonly #sender: HeartbeatSender;
  readonly #topicWatch: TopicWatch;
  readonly #readiness: ReadinessGate;
  readonly #presence = new ServerPresence();
  /** Undefined where the Service of the brokers is not known. */
  readonly #endpoints: EndpointWatch | undefined;
  readonly #rack: OwnRack;
  #elector: LeaseElector;
  #peers: PeerEnd | undefined;
  #status: DataPlaneStatus | undefined;
  #slots: LedChange["slots"] = { groups: [], transactions: [] };
  #isDraining = false;
  #isReporting = false;
  #isTopicWatchSynced = false;
  #isStopped = false;

  constructor(options: ClusterControlOptions) {
    this.#options = options;
    const { settings, api, network, clock, random, log, name, incarnation, fileSystem } = options;
    const { namespace, clusterName, clusterDirectory: directory, nodeId, podUid, service } = settings;
    this.#files = new AssignmentFiles({ fileSystem, random, directory, clock, log, broker: name, incarnation });
    this.#mirror = new AssignmentsMirror({ api, namespace, name: clusterName, clock, random, log });
    this.#follower = new AssignmentFollower({
      self: { nodeId, name },
      source: this.#files,
      clock,
      log,
      adopted: options.adopted,
    });
    const wishes = new DrainWishes({ fileSystem, random }, directory);
    this.#drainWatch = new DrainWatch({
      isWished: () => wishes.isWished(name),
      clock,
      log,
      changed: () => this.#hurry(),
    });
    this.#controller = this.#newController();
    this.#elector = this.#newElector();
    this.#sender = new HeartbeatSender({
      clock,
      random,
      log,
      connect: network.connect,
      target: () => this.#target(),
      hear: (report) => this.#controller.hear(report),
      nextReport: (anew) => this.#nextReport(anew),
      assigned: (assignment) => this.#follower.offer(assignment),
    });
    this.#topicWatch = this.#newTopicWatch();
    const pod = { name, ordinal: nodeId, set: settings.set, namespace };
    const presence = this.#presence;
    this.#endpoints =
      service === undefined ? undefined : new EndpointWatch({ api, self: pod, service, clock, random, log, presence });
    this.#rack = this.#newRack();
    this.#readiness = new ReadinessGate({ api, pod, clock, random, log, ...(podUid === undefined ? {} : { podUid }) });
    const users = new KafkaUserWriter({ api, namespace, clock });
    const locate = (name: string): string | undefined => this.#topicWatch.state.topic(name)?.objectName;
    this.services = {
      topics: new KafkaTopicWriter({ api, namespace, clock, locate }),
      users,
      acls: users,
      wishes: new RemoteWishes(
        this.#controller,
        () => this.#elector.epoch !== undefined,
        () => this.#sender.peer,
      ),
    };
  }

  /** Binds the port for other brokers, and begins. Rejects with KAAS_LISTENER_FAILED. */
  async start(): Promise<void> {
    await this.#drainWatch.start();
    this.#peers = await this.#options.network.listen(this.#controller);
    await this.#follower.start();
    this.#elector.start();
    this.#topicWatch.start();
    this.#followEndpoints();
    this.#rack.start();
  }

  get condition(): ClusterCondition {
    const { holder } = this.#elector;
    return {
      assignment: this.#follower.current,
      assignmentAgeMs: this.#follower.ageMs,
      nodeIdOwner: this.#follower.nodeIdOwner,
      controller: this.#controller.status,
      leaseHolder: holder === undefined ? undefined : (parseLeaseIdentity(holder)?.broker ?? holder),
      isHeard: this.#sender.isHeard,
      isTopicWatchSynced: this.#isTopicWatchSynced,
      topicWatch: this.#topicWatch.health.state,
      isDrainWished: this.#drainWatch.isWished,
      rack: this.#rack.value,
      pods: this.#endpoints?.registry.isSynced === true ? this.#endpoints.registry.brokers() : undefined,
    };
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** How the data plane is. Reports begin when it can be reached. */
  setStatus(status: DataPlaneStatus): void {
    this.#status = status;
    if (status.listeners.length === 0 || this.#isReporting) return;
    this.#isReporting = true;
    this.#sender.start();
  }

  noteLed({ opened, closed, slots }: LedChange): void {
    for (const { topicId, partition } of closed) this.#led.closed(topicId, partition);
    for (const { topicId, partition, leaderEpoch } of opened) this.#led.opened(topicId, partition, leaderEpoch);
    this.#slots = slots;
    this.#hurry();
  }

  setTopics(topics: readonly TopicPartitions[]): void {
    this.#controller.setTopics(topics);
  }

  setReadiness(missing: readonly string[]): void {
    const isReady = missing.length === 0;
    this.#readiness.set({ isReady, message: isReady ? "everything is open" : missing.join("; ") });
  }

  /** Asks to be relieved of everything. */
  drain(): void {
    this.#isDraining = true;
    this.#hurry();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#follower.stop();
    this.#drainWatch.stop();
    this.#sender.stop();
    this.#controller.resign();
    await Promise.all([
      this.#elector.stop(),
      this.#topicWatch.stop(),
      this.#endpoints?.stop(),
      this.#rack.stop(),
      this.#readiness.stop(),
      this.#mirror.stop(),
      this.#files.close(),
    ]);
    this.#peers?.close();
  }

  #newController(): Controller {
    const { settings, slotCount, fileSystem, clock, log } = this.#options;
    const { nodeId, clusterDirectory } = settings;
    return new Controller({
      nodeId,
      store: this.#files,
      hasSuccessor: (broker, incarnation) => hasSuccessor(fileSystem, clusterDirectory, { broker, incarnation }),
      slotCount,
      clock,
      log,
      onPublished: (assignment) => this.#published(assignment),
      onFenced: () => void this.#electAgain(),
    });
  }

  #newElector(): LeaseElector {
    const { settings, api, clock, random, log, name, incarnation } = this.#options;
    const { namespace, clusterName } = settings;
    return new LeaseElector({
      api,
      namespace,
      name: `${clusterName}-controller`,
      identity: leaseIdentity({ broker: name, incarnation }),
      timing: LEASE_TIMING,
      clock,
      random,
      log,
      presence: this.#presence,
      listener: {
        acquired: (epoch) => {
          this.#controller.lead(epoch);
          const departed = departedController(this.#sender.broken, this.#follower.current);
          if (departed !== undefined) this.#controller.gone(departed.nodeId, departed.incarnation);
          this.#retarget();
        },
        lost: () => {
          this.#controller.resign();
          this.#retarget();
        },
        holderChanged: () => this.#retarget(),
      },
    });
  }

  #newTopicWatch(): TopicWatch {
    const { settings, api, clock, random, log, topicChanged, topicDeleted } = this.#options;
    const onSynced = (): void => {
      this.#isTopicWatchSynced = true;
    };
    const listener = { topicChanged, topicDeleted, onSynced };
    const presence = this.#presence;
    return new TopicWatch({ api, namespace: settings.namespace, clock, random, log, listener, presence });
  }

  /** What Kubernetes has of the pods leads nobody anywhere. That this one's zone is known now is news. */
  #followEndpoints(): void {
    const { nodeId } = this.#options.settings;
    const brokerChanged = ({ ordinal }: RegisteredBroker): void => {
      if (ordinal === nodeId) this.#hurry();
    };
    this.#endpoints?.registry.addListener({ brokerChanged, brokerGone() {} });
    this.#endpoints?.start();
  }

  #newRack(): OwnRack {
    const { settings, api, clock, random, log } = this.#options;
    return new OwnRack({
      settings,
      api,
      endpoints: this.#endpoints?.registry,
      published: () => this.#follower.current?.brokers.find(({ nodeId }) => nodeId === settings.nodeId),
      changed: () => this.#hurry(),
      clock,
      random,
      log,
      presence: this.#presence,
    });
  }

  /** There is something to tell the controller. */
  #hurry(): void {
    if (this.#isReporting) this.#sender.hurry();
  }

  #retarget(): void {
    if (this.#isReporting) this.#sender.retarget();
  }

  /** Another controller has a higher epoch. */
  async #electAgain(): Promise<void> {
    await this.#elector.stop();
    if (this.#isStopped) return;
    this.#options.clock.schedule(ELECTION_PAUSE_MS, () => {
      if (this.#isStopped) return;
      this.#elector = this.#newElector();
      this.#elector.start();
    });
  }

  #published(assignment: Assignment): void {
    this.#follower.offer(assignment);
    this.#peers?.publish(assignment);
    this.#mirror.publish(assignment);
  }

  #nextReport(anew: boolean): HeartbeatReport {
    const { settings, name, incarnation, isAlive } = this.#options;
    const { nodeId, startedMs } = settings;
    if (anew) this.#led.restart();
    return {
      nodeId,
      name,
      incarnation,
      startedMs,
      rack: this.#rack.value,
      listeners: this.#status?.listeners ?? [],
      isHealthy: isAlive(),
      isDraining: this.#isDraining || this.#drainWatch.isWished,
      ...this.#led.next(),
      slots: this.#slots,
    };
  }

  /** The holder of the lease; where that is not known, the last that published. */
  async #target(): Promise<ControllerTarget | undefined> {
    const { name: broker, incarnation, fileSystem, settings } = this.#options;
    const self = leaseIdentity({ broker, incarnation });
    if (this.#elector.epoch !== undefined) return { address: undefined, key: self };
    const { holder } = this.#elector;
    const controller = this.#search.controller(
      holder === undefined ? undefined : parseLeaseIdentity(holder),
      this.#publisher(),
    );
    if (controller === undefined || leaseIdentity(controller) === self) return undefined;
    const endpoints = await incarnationEndpoints(fileSystem, settings.clusterDirectory, controller);
    const endpoint = endpoints?.find((text) => text.startsWith(PEERS_ENDPOINT_PREFIX));
    if (endpoint === undefined) return undefined;
    return { address: endpoint.slice(PEERS_ENDPOINT_PREFIX.length), key: leaseIdentity(controller) };
  }

  #publisher(): Publisher | undefined {
    const assignment = this.#follower.current;
    if (assignment === undefined) return undefined;
    const { controllerId, controllerEpoch, brokers } = assignment;
    const controller = brokers.find(({ nodeId }) => nodeId === controllerId);
    const identity = controller && { broker: controller.name, incarnation: controller.incarnation };
    return { identity, controllerEpoch };
  }
}
