import { KubernetesError } from "@kaas/k8s";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OperatorHarness, readyOf } from "./operator-harness.js";

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await OperatorHarness.create();
});
afterEach(() => harness.stop());

test.each(["services", "secrets"])("without the right to watch %s topics are made all the same", async (plural) => {
  let isForbidden = true;
  harness.api.intercept = (call) => {
    if (isForbidden && call.plural === plural) throw forbidden(plural);
  };
  const operator = await harness.start();
  await harness.createTopic("orders", { partitions: 2 });
  await harness.pass(2_000);
  expect(readyOf(harness.topic("orders"))).toMatch(/^True Ready: 2 partitions/);
  expect(operator.isReady).toBe(false);
  isForbidden = false;
  await harness.pass(120_000);
  expect(operator.isReady).toBe(true);
});

function forbidden(plural: string): KubernetesError {
  const message = `${plural} is forbidden: User "operator" cannot list resource "${plural}"`;
  return new KubernetesError(`list ${plural}`, { code: 403, reason: "Forbidden", message });
}
