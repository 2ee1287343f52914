import { describe, expect, test } from "vitest";
import { apiSchemas } from "../../src/messages/api-schemas.js";
import { type MessageSchema, parseVersions, type VersionRange } from "../../src/messages/schema.js";
import { jarMessages, RELEASES } from "./jar-data.js";
import { kaasMessages } from "./kaas-schemas.js";
import { differences, type JarMessage, viewOfJar, viewOfKaas } from "./schema-view.js";

/** Where a release differs from kaas, by its message and the versions, and why kaas is right. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "3.7.2 CreateTopicsRequest 0-7 topics.configs: type []CreatableTopicConfig, not []CreateableTopicConfig":
    "a struct whose name was spelled in another way; names of structs do not travel",
  "3.7.2 TxnOffsetCommitRequest 3 fields: transactionalId, groupId, producerId, producerEpoch, generationIdOrMemberEpoch, memberId, groupInstanceId, topics; not transactionalId, groupId, producerId, producerEpoch, generationId, memberId, groupInstanceId, topics":
    "a field that KIP-848 gave a wider meaning and a new name; same place, same type",
  "3.7.2 ConsumerGroupDescribeResponse 0 groups.members.assignment: topicPartitions; not topicPartitions, error, metadataVersion, metadataBytes":
    "an unstable preview in 3.7, changed without a new version before it became stable in 4.0",
  "3.7.2 ConsumerGroupDescribeResponse 0 groups.members.targetAssignment: topicPartitions; not topicPartitions, error, metadataVersion, metadataBytes":
    "as above",
  "3.7.2 ListConfigResourcesResponse 0 fields: throttleTimeMs, errorCode, configResources; not throttleTimeMs, errorCode, clientMetricsResources":
    "ListClientMetricsResources was widened and renamed by KIP-1142; same place, same type",
};

/** Keys that a 4.4 broker lists to clients and kaas has no schema for. */
const LEFT_OUT: Readonly<Record<number, string>> = {
  80: "AddRaftVoter: there is no KRaft quorum",
  81: "RemoveRaftVoter: there is no KRaft quorum",
  83: "InitializeShareGroupState: between brokers only",
  84: "ReadShareGroupState: between brokers only",
  85: "WriteShareGroupState: between brokers only",
  86: "DeleteShareGroupState: between brokers only",
  87: "ReadShareGroupStateSummary: between brokers only",
  94: "UnregisterController: there is no KRaft quorum",
};

/** The jar's definition of one of kaas's messages. Requests and responses go by key, since 74 was renamed. */
function definitionOf(message: MessageSchema, jar: readonly JarMessage[]): JarMessage | undefined {
  return jar.find((definition) =>
    message.apiKey === undefined
      ? definition.name === message.name
      : definition.apiKey === message.apiKey && definition.type === message.kind,
  );
}

function versionsOf({ first, last }: VersionRange): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Differences over all versions of a message, each with the run of versions that shows it. */
function differencesOf(message: MessageSchema, definition: JarMessage): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const version of versionsOf(parseVersions(definition.validVersions))) {
    for (const difference of differences(viewOfKaas(message, version), viewOfJar(definition, version))) {
      found.set(difference, [...(found.get(difference) ?? []), version]);
    }
  }
  return found;
}

function runOf(versions: readonly number[]): string {
  const [first, last] = [versions[0], versions.at(-1)];
  return first === last ? String(first) : `${first}-${last}`;
}

describe.each(RELEASES)("definitions in the jars of %s", (release) => {
  const jar = jarMessages(release);
  const defined = kaasMessages.flatMap((message) => {
    const definition = definitionOf(message, jar);
    return definition === undefined ? [] : [{ message, definition }];
  });

  test("every field of every version is the same", () => {
    const unexpected: string[] = [];
    const excepted = new Set(Object.keys(EXCEPTIONS).filter((name) => name.startsWith(release)));
    for (const { message, definition } of defined) {
      for (const [difference, versions] of differencesOf(message, definition)) {
        const name = `${release} ${message.name} ${runOf(versions)} ${difference}`;
        if (!excepted.delete(name)) unexpected.push(name);
      }
    }
    expect(unexpected).toEqual([]);
    expect([...excepted], "exceptions that do not occur").toEqual([]);
  });

  test("every version that the release knows is known", () => {
    for (const { message, definition } of defined) {
      const [own, theirs] = [parseVersions(message.validVersions), parseVersions(definition.validVersions)];
      expect([message.name, own.first <= theirs.first, own.last >= theirs.last]).toEqual([message.name, true, true]);
    }
  });
});

describe("what there is", () => {
  const [newest, oldest] = RELEASES.map(jarMessages) as [JarMessage[], JarMessage[]];

  test("versions reach from the oldest release's first to the newest release's last", () => {
    for (const message of kaasMessages) {
      const [last, first] = [definitionOf(message, newest), definitionOf(message, oldest)];
      expect(last, message.name).toBeDefined();
      const expected = {
        first: parseVersions((first ?? last)?.validVersions ?? "").first,
        last: parseVersions(last?.validVersions ?? "").last,
      };
      expect([message.name, parseVersions(message.validVersions)]).toEqual([message.name, expected]);
      expect([message.name, message.flexibleVersions]).toEqual([message.name, last?.flexibleVersions]);
    }
  });

  test("every key that a broker offers clients has a schema, or a reason", () => {
    const offered = newest
      .filter(({ listeners }) => listeners?.includes("broker"))
      .map(({ apiKey }) => apiKey as number);
    const expected = [...apiSchemas.map(({ key }) => key), ...Object.keys(LEFT_OUT).map(Number)];
    expect(expected.toSorted((a, b) => a - b)).toEqual(offered.toSorted((a, b) => a - b));
  });

  test("requests and responses agree on key, name and versions", () => {
    for (const { key, name, request, response } of apiSchemas) {
      expect([request.apiKey, response.apiKey]).toEqual([key, key]);
      expect([request.name, response.name]).toEqual([`${name}Request`, `${name}Response`]);
      expect(newest.find(({ apiKey, type }) => apiKey === key && type === "request")?.name).toBe(request.name);
    }
  });
});
