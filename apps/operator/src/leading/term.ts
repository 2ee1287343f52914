import { ClusterReconciler } from "../clusters/cluster-reconciler.js";
import { clusterSteps } from "../clusters/cluster-steps.js";
import { ObjectKeeper } from "../clusters/object-keeper.js";
import { OtherClusters } from "../clusters/other-clusters.js";
import { type Turn, WorkQueue } from "../reconciling/work-queue.js";
import { EventRecorder } from "../reporting/event-recorder.js";
import { StatusReporter } from "../reporting/status-reporter.js";
import { Sweep } from "../sweep/sweep.js";
import { TopicRemovals } from "../sweep/topic-removals.js";
import { TopicReconciler } from "../topics/topic-reconciler.js";
import { topicSteps } from "../topics/topic-steps.js";
import { AclKeeper } from "../users/acl-keeper.js";
import { UserReconciler } from "../users/user-reconciler.js";
import { userSteps } from "../users/user-steps.js";
import type { OperatorOptions } from "./operator-options.js";
import { Watching } from "./watching.js";

/** How many resources of a kind are worked on at once: what they wait for is the volume. */
const AT_ONCE = 4;
const SWEEP_KEY = "everything";

/** What is gone, as the key of its removal. */
type Gone = { readonly topic: string; readonly topicId: string } | { readonly username: string };

/** The time during which this process leads: what it follows, and what it has to do. */
export class Term {
  readonly #options: OperatorOptions;
  readonly #watching: Watching;
  readonly #events: EventRecorder;
  readonly #reporter: StatusReporter;
  readonly #removals: TopicRemovals;
  readonly #acls: AclKeeper;
  readonly #users: UserReconciler;
  readonly #queues: Readonly<Record<"topics" | "users" | "clusters" | "removals" | "sweep", WorkQueue>>;
  readonly #over: Promise<void>;
  #end: () => void = () => {};
  #isOver = false;

  constructor(options: OperatorOptions) {
    this.#options = options;
    const { api, clock, random, log, identity } = options;
    this.#over = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#events = new EventRecorder({ api, instance: identity, clock, random, log });
    this.#reporter = new StatusReporter({ api, events: this.#events, clock });
    this.#watching = new Watching(options, {
      topic: (name) => this.#queues.topics.add(name),
      user: (name) => this.#queues.users.add(name),
      cluster: (name) => this.#queues.clusters.add(name),
      topicGone: (name, topic, topicId) => {
        this.#queues.topics.forget(name);
        if (topicId !== undefined) this.#gone({ topic, topicId });
      },
      userGone: (name, username) => {
        this.#queues.users.forget(name);
        this.#gone({ username });
      },
    });
    const leads = (): boolean => !this.#isOver;
    // Topics and users of a namespace that is another cluster's are nothing to look at, let alone to remove.
    const acts = (): boolean => leads() && this.#watching.isOurs;
    const clusterUid = (): string | undefined => this.#watching.cluster()?.metadata.uid;
    this.#removals = new TopicRemovals({ directories: options.directories, clusterUid, leads: acts, log });
    this.#acls = new AclKeeper(options.acls, () => this.#watching.users());
    this.#users = this.#userReconciler(acts);
    const topics = this.#topicReconciler(acts);
    const clusters = this.#clusterReconciler(leads);
    const others = this.#otherClusters(leads);
    const hasCluster = (): boolean => clusterUid() !== undefined && this.#watching.isOurs;
    const sweep = new Sweep({
      ...options,
      acls: this.#acls,
      removals: this.#removals,
      topics: () => this.#watching.topics(),
      users: () => this.#watching.users(),
      hasCluster,
      leads,
    });
    this.#queues = {
      topics: this.#queue("KafkaTopic", AT_ONCE, (name) => topics.reconcile(name)),
      users: this.#queue("KafkaUser", AT_ONCE, (name) => this.#users.reconcile(name)),
      clusters: this.#queue("KafkaCluster", 1, (name) =>
        (name === options.clusterName ? clusters : others).reconcile(name),
      ),
      removals: this.#queue("removal", 1, (key) => this.#remove(JSON.parse(key) as Gone)),
      sweep: this.#queue("sweep", 1, () => sweep.run()),
    };
  }

  start(): void {
    this.#watching.start();
    this.#queues.sweep.add(SWEEP_KEY);
  }

  /** Whether all that there is is known. */
  get isSynced(): boolean {
    return this.#watching.isSynced;
  }

  /** Begins nothing any more; resolves when what was begun has ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#end();
    await this.#watching.stop();
    await Promise.all(Object.values(this.#queues).map((queue) => queue.stop()));
    await this.#events.flush();
  }

  /** Resolves when nothing has a turn, not counting what is to be looked at later. */
  async idle(): Promise<void> {
    const queues = Object.values(this.#queues);
    while (queues.some(({ depth }) => depth > 0)) for (const queue of queues) await queue.idle();
    await this.#events.flush();
  }

  /** Nothing has a turn before all that there is is known: what others have decides what a topic gets. */
  #queue(name: string, concurrency: number, work: (key: string) => Promise<Turn>): WorkQueue {
    const { clock, random, log } = this.#options;
    const process = async (key: string): Promise<Turn> => {
      await Promise.race([this.#watching.synced, this.#over]);
      return this.#isOver ? {} : work(key);
    };
    return new WorkQueue({ name, process, concurrency, clock, random, log });
  }

  #gone(gone: Gone): void {
    this.#queues.removals.add(JSON.stringify(gone));
  }

  async #remove(gone: Gone): Promise<Turn> {
    if ("username" in gone) {
      await this.#users.remove(gone.username);
      return {};
    }
    const [failure] = await this.#removals.remove(gone.topic, gone.topicId);
    if (failure !== undefined) throw failure.error;
    return {};
  }

  #topicReconciler(leads: () => boolean): TopicReconciler {
    const { directories, random, log } = this.#options;
    return new TopicReconciler({
      steps: topicSteps({ directories, reporter: this.#reporter, random }),
      reporter: this.#reporter,
      find: (name) => this.#watching.topic(name),
      surroundings: () => ({
        topics: this.#watching.topics(),
        cluster: this.#watching.cluster(),
        volumes: directories.volumes,
      }),
      gone: (topic, topicId) => this.#gone({ topic, topicId }),
      leads,
      log,
    });
  }

  #userReconciler(leads: () => boolean): UserReconciler {
    const { api, credentials, random, log } = this.#options;
    const acls = this.#acls;
    return new UserReconciler({
      steps: userSteps({ api, credentials, acls, random }),
      reporter: this.#reporter,
      credentials,
      acls,
      find: (name) => this.#watching.user(name),
      users: () => this.#watching.users(),
      cluster: () => this.#watching.cluster(),
      leads,
      log,
    });
  }

  #otherClusters(leads: () => boolean): OtherClusters {
    return new OtherClusters({
      clusterName: this.#options.clusterName,
      reporter: this.#reporter,
      events: this.#events,
      find: (name) => this.#watching.clusterOf(name),
      owner: () => this.#watching.owner(),
      leads,
    });
  }

  #clusterReconciler(leads: () => boolean): ClusterReconciler {
    const { api, addresses, clusterName, clusterId, clock } = this.#options;
    return new ClusterReconciler({
      steps: clusterSteps({
        api,
        keeper: new ObjectKeeper(api),
        addresses,
        clock,
        owner: () => this.#watching.owner(),
      }),
      reporter: this.#reporter,
      find: (name) => (name === clusterName ? this.#watching.cluster() : undefined),
      leads,
      clusterId,
    });
  }
}
