import { KAFKA_TOPICS } from "@kaas/k8s";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NAMESPACE, OperatorHarness, readyOf } from "./operator-harness.js";

const ref = (name: string) => ({ name, namespace: NAMESPACE });

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await OperatorHarness.create();
});
afterEach(() => harness.stop());

describe("a KafkaTopic that went while no operator ran, and is there again", () => {
  /** What is left of a topic that had two partitions, and what the same KafkaTopic becomes. */
  async function madeAgain(status: object | undefined): Promise<{ readonly before: string; readonly after: string }> {
    const first = await harness.start();
    await harness.createTopic("orders", { partitions: 2 });
    const before = (await harness.directories.find("orders"))?.id ?? "";
    await first.stop();
    await harness.api.delete(KAFKA_TOPICS, ref("orders"));
    await harness.createTopic("orders", { partitions: 2 });
    if (status !== undefined) {
      const object = { status: { topicId: before, ...status } };
      await harness.api.patch(KAFKA_TOPICS, ref("orders"), { type: "merge", object }, { subresource: "status" });
    }
    await harness.start();
    await harness.pass(20_000);
    return { before, after: (await harness.directories.find("orders"))?.id ?? "" };
  }

  test("is another topic, as one that was deleted and created is", async () => {
    const { before, after } = await madeAgain(undefined);
    expect(after).not.toBe(before);
  });

  test("is the same if it is given the id before an operator sees it: so records are had back", async () => {
    const { before, after } = await madeAgain({});
    expect(after).toBe(before);
    expect(readyOf(harness.topic("orders"))).toMatch(/^True Ready: 2 partitions/);
  });
});
