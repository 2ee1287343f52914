import { expect, test } from "vitest";
import { handlerHarness } from "../../test/fakes/handler-context.js";
import type { MetadataRequestTopic, MetadataResponseInit } from "../messages/generated/index.js";
import { ZERO_UUID } from "../wire/reader.js";
import { metadata } from "./03-metadata.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";
const OTHER_ID = "AAAAAAAAAAAAAAAAAAAAAg";

async function names(topics: MetadataRequestTopic[]): Promise<unknown[]> {
  const harness = handlerHarness();
  harness.addTopic("t", ID, 1);
  const flags = { includeClusterAuthorizedOperations: false, includeTopicAuthorizedOperations: false };
  const request = { topics, allowAutoTopicCreation: false, ...flags };
  const response = (await metadata.handle(harness.context(3, 12), request)) as MetadataResponseInit;
  return response.topics.map(({ name }) => name);
}

test("a topic that is asked for twice is described once", async () => {
  const byName = { name: "t", topicId: ZERO_UUID };
  const byId = { name: null, topicId: ID };
  expect(await names([byName, byName])).toEqual(["t"]);
  expect(await names([byId, byName, byId])).toEqual(["t"]);
  const unknown = { name: null, topicId: OTHER_ID };
  expect(await names([unknown, byName, unknown, { name: "u", topicId: ZERO_UUID }])).toEqual([null, "t", "u"]);
});
