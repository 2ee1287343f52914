import { beforeEach, describe, expect, it } from "vitest";
import { FakeAccess } from "../../test/fakes/fake-access.js";
import { type HandlerHarness, handlerHarness } from "../../test/fakes/handler-context.js";
import { ErrorCode } from "../errors/error-codes.js";
import { apiCodecs } from "../messages/generated/index.js";
import { ZERO_UUID } from "../wire/reader.js";
import type { AnyApiHandler } from "./api-handler.js";
import { ApiRegistry } from "./api-registry.js";
import { apiAuthorizations } from "./authorization.js";
import { apiHandlers } from "./index.js";

const TOPIC_ID = "AAAAAAAAAAAAAAAAAAAAAQ";
const codecs = new Map(apiCodecs.map((codec) => [codec.key, codec]));

let harness: HandlerHarness;

beforeEach(() => {
  harness = handlerHarness({
    groups: { list: () => [{ groupId: "g" }] } as never,
    credentials: { quotas: () => [] } as never,
  });
  harness.addTopic("t", TOPIC_ID, 1);
});

/** A request that names the topic `t` and the group `g` wherever it can. */
function sample(key: number): Record<string, unknown> {
  const partitions = [{ partition: 0, partitionIndex: 0, index: 0, records: null, committedMetadata: "" }];
  const topic = {
    topic: "t",
    name: "t",
    topicId: TOPIC_ID,
    partitions,
    partitionIndexes: [0],
    partitionData: partitions,
  };
  return {
    acks: -1,
    transactionalId: null,
    groupId: "g",
    key: "g",
    keyType: 0,
    coordinatorKeys: ["g"],
    groups: key === 15 ? ["g"] : [{ groupId: "g", topics: [topic] }],
    groupsNames: ["g"],
    memberId: "m",
    topicNames: ["t"],
    topics: key === 20 ? [] : [{ ...topic, topicId: key === 3 ? ZERO_UUID : TOPIC_ID, assignments: [], configs: [] }],
    topicData: [topic],
    sessionEpoch: -1,
    resources: [{ resourceType: 2, resourceName: "t", configs: [], configurationKeys: null }],
    maxBytes: 1,
    cursor: null,
    responsePartitionLimit: 1,
    includeClusterAuthorizedOperations: true,
    endpointType: 1,
    allowAutoTopicCreation: true,
    members: [],
    filters: [],
    creations: [],
    deletions: [],
    upsertions: [],
    components: [],
    entries: [],
    users: [],
    topicPartitions: [],
  };
}

const byName = apiHandlers.map((handler) => [codecs.get(handler.key)?.name ?? "", handler] as const);

describe("every API", () => {
  it.each(byName)("%s says what it asks of its clients", (_name, { key }) => {
    const authorization = apiAuthorizations.get(key);
    expect(authorization).toBeDefined();
    const kinds = [authorization?.cluster, authorization?.open, authorization?.resources];
    expect(kinds.filter((kind) => kind !== undefined)).toHaveLength(1);
    expect(authorization?.resources?.length).not.toBe(0);
  });

  it("without a word on it is not served", () => {
    const handler = { key: 90, versionMin: 0, versionMax: 0, handle: () => ({}), fail: () => ({}) };
    expect(() => new ApiRegistry([handler])).toThrow(/says what it asks/);
  });
});

describe("a client that may do nothing", () => {
  it.each(byName.filter(([, { key }]) => apiAuthorizations.get(key)?.resources !== undefined))(
    "is asked of %s what was declared, and nothing else",
    async (_name, handler) => {
      const access = new FakeAccess();
      harness.connection.access = access;
      const [version, request] = [handler.versionMax, sample(handler.key)];
      const answer = await handler.handle(harness.context(handler.key, version), request);
      const declared = apiAuthorizations.get(handler.key)?.resources?.map((pair) => pair.join(" "));
      const asked = new Set(access.asked.map((one) => one.split(" ").slice(0, 2).join(" ")));
      expect(asked.size).toBeGreaterThan(0);
      expect(declared).toEqual(expect.arrayContaining([...asked]));
      expect(JSON.stringify(answer)).not.toMatch(/"partitionCount"|"leaderId":1|"state"/);
    },
  );

  it.each(byName.filter(([, { key }]) => apiAuthorizations.get(key)?.cluster !== undefined))(
    "is refused %s as a whole",
    async (name, handler) => {
      harness.connection.access = new FakeAccess();
      const served = new ApiRegistry([handler]).lookup(handler.key)?.handler;
      const [version, request] = [handler.versionMax, sample(handler.key)];
      const answer = await served?.handle(harness.context(handler.key, version), request);
      const asked = (harness.connection.access as FakeAccess).asked;
      expect(asked, name).toEqual([`${apiAuthorizations.get(handler.key)?.cluster} CLUSTER kafka-cluster`]);
      expect(answer).toEqual(handler.fail(request, ErrorCode.CLUSTER_AUTHORIZATION_FAILED));
    },
  );
});

describe("whoever may look at the cluster", () => {
  it("is let through to the handler", async () => {
    const [handler] = apiHandlers.filter(({ key }) => key === 48);
    harness.connection.access = new FakeAccess("DESCRIBE_CONFIGS CLUSTER kafka-cluster");
    const served = new ApiRegistry([handler as AnyApiHandler]).lookup(48)?.handler;
    expect(await served?.handle(harness.context(48, 1), { components: [], strict: false })).toMatchObject({
      errorCode: ErrorCode.NONE,
      entries: [],
    });
  });
});
