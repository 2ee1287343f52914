import { Topic, TopicTable } from "../../src/cluster/topic-table.js";
import { ErrorCode } from "../../src/errors/error-codes.js";
import type { JoinRequest, JoinResult, SyncRequest, SyncResult } from "../../src/groups/classic/classic-requests.js";
import { GroupCoordinator } from "../../src/groups/group-coordinator.js";
import type { CommitTopic, OffsetCommit } from "../../src/groups/offsets/commit-offsets.js";
import { silentLog } from "../../src/ports/log.js";
import { FakeSlotJournals } from "./fake-slot-journals.js";
import { ManualClock } from "./manual-clock.js";

const CONFIG: Readonly<Record<string, number>> = {
  "group.min.session.timeout.ms": 1_000,
  "group.max.session.timeout.ms": 60_000,
  "group.initial.rebalance.delay.ms": 3_000,
  "group.max.size": 2_147_483_647,
  "offset.metadata.max.bytes": 4_096,
  "offsets.retention.minutes": 60,
  "offsets.retention.check.interval.ms": 600_000,
};

/** Lets promises that are ready run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Metadata as a consumer writes it: version 0, the topics, no user data. */
export function subscription(...topics: string[]): Buffer {
  const strings = topics.map((topic) => {
    const size = Buffer.alloc(2);
    size.writeInt16BE(topic.length);
    return Buffer.concat([size, Buffer.from(topic)]);
  });
  const count = Buffer.alloc(4);
  count.writeInt32BE(topics.length);
  return Buffer.concat([Buffer.from([0, 0]), count, ...strings, Buffer.from([255, 255, 255, 255])]);
}

/** A member as its client sees it. */
export interface TestMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly generationId: number;
}

/** A group coordinator over fakes, and short ways to do what clients do. */
export class GroupHarness {
  readonly clock: ManualClock = new ManualClock();
  journals: FakeSlotJournals;
  readonly topics: TopicTable = new TopicTable();
  readonly config: Record<string, number>;
  coordinator: GroupCoordinator;
  #ids = 0;

  constructor(config: Readonly<Record<string, number>> = {}, journals: FakeSlotJournals = new FakeSlotJournals()) {
    this.config = { ...CONFIG, ...config };
    this.journals = journals;
    this.coordinator = this.#build();
  }

  async start(): Promise<this> {
    await this.coordinator.start();
    return this;
  }

  /** The process dies and another begins: only what is durable is still there. */
  async crash(): Promise<void> {
    this.journals = this.journals.afterCrash();
    this.coordinator = this.#build();
    await this.coordinator.start();
  }

  /** Moves time on, and lets what that brought about happen. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await settle();
  }

  addTopic(name: string, partitionCount: number, idByte: number = name.charCodeAt(0)): Topic {
    const topic = new Topic(name, Buffer.alloc(16, idByte).toString("base64url"), {}, {} as Topic["config"]);
    topic.partitions.length = partitionCount;
    this.topics.add(topic);
    return topic;
  }

  joinRequest(request: Partial<JoinRequest> = {}): JoinRequest {
    return {
      groupId: "g",
      memberId: "",
      groupInstanceId: null,
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 20_000,
      protocolType: "consumer",
      protocols: [{ name: "range", metadata: subscription("t") }],
      reason: null,
      clientId: "client",
      clientHost: "/127.0.0.1",
      memberIdRequired: false,
      canSkipAssignment: true,
      ...request,
    };
  }

  join(request: Partial<JoinRequest> = {}): Promise<JoinResult> {
    return this.coordinator.join(this.joinRequest(request));
  }

  sync(member: TestMember, request: Partial<SyncRequest> = {}): Promise<SyncResult> {
    return this.coordinator.sync({
      groupId: "g",
      generationId: member.generationId,
      memberId: member.memberId,
      groupInstanceId: member.groupInstanceId,
      protocolType: null,
      protocolName: null,
      assignments: [],
      ...request,
    });
  }

  /** Commits offsets of a topic, as a client does that is no member unless `request` says more. */
  commit(
    topic: string,
    partitions: CommitTopic["partitions"],
    request: Partial<OffsetCommit> = {},
  ): Promise<ErrorCode> {
    return this.coordinator.commitOffsets({
      groupId: "g",
      memberId: "",
      groupInstanceId: null,
      generationId: -1,
      retentionMs: null,
      unknownGroupError: ErrorCode.GROUP_ID_NOT_FOUND,
      topics: [{ topic, topicId: this.topics.byName(topic)?.id ?? "", partitions }],
      ...request,
    });
  }

  heartbeat(member: TestMember, groupId = "g"): number {
    return this.coordinator.heartbeat({ groupId, ...member });
  }

  state(groupId = "g"): string {
    const description = this.coordinator.describe(groupId);
    return typeof description === "number" ? `error ${description}` : description.groupState;
  }

  memberIds(groupId = "g"): string[] {
    const description = this.coordinator.describe(groupId);
    return typeof description === "number" ? [] : description.members.map(({ memberId }) => memberId);
  }

  /** A stable group of as many members as there are requests; the first is the leader. */
  async stableGroup(...requests: Partial<JoinRequest>[]): Promise<TestMember[]> {
    const joins = requests.map((request) => this.join(request));
    for (let waited = 0; waited < 30 && this.state() === "PreparingRebalance"; waited++) await this.advance(1_000);
    const members = (await Promise.all(joins)).map((result, index) => ({
      memberId: result.memberId,
      groupInstanceId: requests[index]?.groupInstanceId ?? null,
      generationId: result.generationId,
    }));
    await this.assign(members);
    return members;
  }

  /** The first member assigns to each its own id; all fetch their assignment. */
  async assign(members: readonly TestMember[]): Promise<SyncResult[]> {
    const assignments = members.map(({ memberId }) => ({ memberId, assignment: Buffer.from(memberId) }));
    const [leader, ...followers] = members;
    if (leader === undefined) throw new Error("a group without members has no leader");
    return Promise.all([...followers.map((follower) => this.sync(follower)), this.sync(leader, { assignments })]);
  }

  #build(): GroupCoordinator {
    const random = {
      uuid: () => {
        const bytes = Buffer.alloc(16, 1);
        bytes.writeUInt32BE(++this.#ids);
        return bytes.toString("base64url");
      },
      integer: () => 0,
    };
    return new GroupCoordinator({
      journals: this.journals,
      clock: this.clock,
      random,
      log: silentLog,
      config: { number: (name) => this.config[name] as number },
      topics: this.topics,
    });
  }
}
