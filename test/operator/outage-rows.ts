import { KAFKA_TOPICS } from "@kaas/k8s";
import { until } from "../lib/until.js";
import type { Site } from "./site.js";

/** What was done while the API server was away is done; what is asked for afterwards too. */
export async function serverKilled(site: Site): Promise<string> {
  await site.cluster();
  await site.start();
  await site.create(KAFKA_TOPICS, "before", {});
  await site.ready(KAFKA_TOPICS, "before", /^True/);
  await site.plane.killComponent("kube-apiserver");
  await site.plane.startComponent("kube-apiserver");
  await site.create(KAFKA_TOPICS, "after", {});
  await site.ready(KAFKA_TOPICS, "after", /^True/);
  await site.remove(KAFKA_TOPICS, "before");
  await until("the other one is removed", async () => (await site.find(KAFKA_TOPICS, "before")) === undefined);
  return "the operator goes on";
}

/** A second operator takes over when the first ends, and finds everything done. */
export async function handedOver(site: Site): Promise<string> {
  await site.cluster();
  await site.create(KAFKA_TOPICS, "t", {});
  await site.start();
  await site.ready(KAFKA_TOPICS, "t", /^True/);
  const before = JSON.stringify(await site.find(KAFKA_TOPICS, "t"));
  await site.stop();
  const calls = site.calls.length;
  await site.start();
  await site.create(KAFKA_TOPICS, "u", {});
  await site.ready(KAFKA_TOPICS, "u", /^True/);
  if (JSON.stringify(await site.find(KAFKA_TOPICS, "t")) !== before)
    throw new Error("a topic that was made is written again");
  return `${site.calls.length - calls} calls of the second`;
}
