import type { AclChange, QuotaAlteration, ScramAlteration, TopicDescription } from "@kaas/core";
import { expect, test } from "vitest";
import type { ServiceCall } from "./messages.js";
import { remoteServices } from "./remote-services.js";

test("each method of each service is a call of its name, and answered as that is", async () => {
  const calls: ServiceCall[] = [];
  const { topics, users, acls, wishes } = remoteServices(async (call) => {
    calls.push(call);
    return `answer ${calls.length}`;
  });
  const topic: TopicDescription = { name: "t", id: "i", partitionCount: 1, overrides: {} };
  const alteration: ScramAlteration = { user: "u", upserts: new Map(), deletions: new Set() };
  const quotas: QuotaAlteration = { entity: { user: "u" }, limits: {} };
  const change: AclChange = { added: [], removed: [] };
  const partition = { topic: "t", topicId: "i", partition: 0 };
  const answers = [
    await topics.create("t", 2, { a: "b" }, 10),
    await topics.delete(topic, 10),
    await topics.createPartitions(topic, 3, 10),
    await topics.configure(topic, {}, 10, ["a"]),
    await users.alterScram(alteration),
    await users.alterQuotas(quotas),
    await acls.changeAcls(change, 10),
    await wishes.reassign([{ ...partition, brokers: null }], 10),
    await wishes.moves(10),
    await wishes.elect("preferred", [partition], 10),
  ];
  expect(calls).toEqual([
    { service: "topics", method: "create", args: ["t", 2, { a: "b" }, 10] },
    { service: "topics", method: "delete", args: [topic, 10] },
    { service: "topics", method: "createPartitions", args: [topic, 3, 10] },
    { service: "topics", method: "configure", args: [topic, {}, 10, ["a"]] },
    { service: "users", method: "alterScram", args: [alteration] },
    { service: "users", method: "alterQuotas", args: [quotas] },
    { service: "acls", method: "changeAcls", args: [change, 10] },
    { service: "wishes", method: "reassign", args: [[{ ...partition, brokers: null }], 10] },
    { service: "wishes", method: "moves", args: [10] },
    { service: "wishes", method: "elect", args: ["preferred", [partition], 10] },
  ]);
  // The operator makes topics: there is nothing yet to be told of.
  const none = [undefined, undefined, undefined, undefined];
  expect(answers).toEqual([...none, "answer 5", "answer 6", "answer 7", "answer 8", "answer 9", "answer 10"]);
});
