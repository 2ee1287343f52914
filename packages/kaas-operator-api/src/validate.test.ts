import { describe, expect, test } from "vitest";
import { badExamples, goodExamples } from "../test/resource-examples.js";
import { formatProblems, validateResource } from "./validate.js";

const topic = (spec: unknown): object => ({
  apiVersion: "kaas.rs/v1alpha1",
  kind: "KafkaTopic",
  metadata: { name: "t" },
  spec,
});

function problemsOf(object: unknown, previous?: unknown): string {
  const result = validateResource(object, previous);
  return result.ok ? "" : formatProblems(result.problems);
}

describe("resources", () => {
  test.each(goodExamples)("$title is fine", ({ resource, previous }) => {
    expect(problemsOf(resource, previous)).toBe("");
  });

  test.each(badExamples)("$title is refused", ({ resource, previous, problem }) => {
    const result = validateResource(resource, previous);
    if (result.ok) expect.unreachable("it was taken");
    expect(result.problems.map(({ path }) => path)).toEqual([problem?.path]);
    expect(result.problems[0]?.message).toMatch(problem?.message ?? /^$/);
  });

  test("the examples cover every rule, each with one that breaks it", async () => {
    const { resourceDefinitions } = await import("./resources.js");
    const messages = Object.values(resourceDefinitions).flatMap(({ rules, transitions }) =>
      [...rules, ...transitions].map(({ message }) => message),
    );
    const broken = badExamples.map(({ resource, previous }) => problemsOf(resource, previous)).join("\n");
    expect(messages.filter((message) => !broken.includes(message))).toEqual([]);
  });
});

describe("what is said of a problem", () => {
  test.each([
    [topic({ partitions: "3" }), 'spec.partitions: must be a number, not the text "3"'],
    [topic({ partition: 3 }), "spec.partition: is no field that there is"],
    [topic(undefined), "spec: is missing"],
    [
      topic({ config: { "retention.ms": [1] } }),
      'spec.config["retention.ms"]: must be text, a number or true or false, not a list',
    ],
    [topic({ storage: { volumes: "data" } }), 'spec.storage.volumes: must be a list, not the text "data"'],
    [topic({ partitions: null }), "spec.partitions: must be a number, not null"],
    [
      { kind: "KafkaTopic" },
      'is no resource of kaas (no apiVersion, "KafkaTopic"): wants kaas.rs/v1alpha1 and one of KafkaTopic, KafkaUser, KafkaCluster, KafkaClusterAssignments',
    ],
    [
      null,
      "is no resource of kaas (no apiVersion, no kind): wants kaas.rs/v1alpha1 and one of KafkaTopic, KafkaUser, KafkaCluster, KafkaClusterAssignments",
    ],
  ])("%j", (object, text) => {
    expect(problemsOf(object)).toBe(text);
  });

  test("a name that Kubernetes would not take is a problem", () => {
    for (const name of ["Orders", "my_topic", "-a", "a-", "a..b", "ü", "a".repeat(254)]) {
      const result = validateResource({ ...topic({}), metadata: { name } });
      expect(result.ok ? name : result.problems.map(({ path }) => path)).toContain("metadata.name");
    }
    expect(validateResource({ ...topic({}), metadata: { name: "a.0-b" } }).ok).toBe(true);
  });

  test("all problems are named at once", () => {
    expect(problemsOf(topic({ partitions: 0, topicName: "a b", nonsense: 1 })).split("\n")).toHaveLength(3);
  });
});

test("defaults are filled in, and metadata stays whole", () => {
  const result = validateResource({ ...topic({}), metadata: { name: "t", ownerReferences: [1] } });
  expect(result).toMatchObject({ ok: true, resource: { spec: { partitions: 1 }, metadata: { ownerReferences: [1] } } });
});

test("what was wrong before may become anything that is right", () => {
  expect(problemsOf(topic({ partitions: 1 }), topic({ partitions: "2" }))).toBe("");
});
