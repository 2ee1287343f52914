import { setTimeout as sleep } from "node:timers/promises";
import { KAFKA_CLUSTER_ASSIGNMENTS, KAFKA_TOPICS, KAFKA_USERS } from "@kaas/k8s";
import type { ControlPlane } from "../kubernetes/control-plane.js";
import { SECRETS } from "./resource-rows.js";
import { until } from "../lib/until.js";
import { RESOURCES, readyOf, Site } from "./site.js";

type Step = keyof typeof RESOURCES | "operator" | "namespace";
/** Several look at the same time: without a rest between looks the API server would be busy with those. */
const LOOK_MS = 100;
const STEPS: readonly Step[] = ["cluster", "topic", "user", "operator"];

/** Whatever is deleted in whatever order, operator included: everything goes, and nothing waits for anything. */
export async function everyOrder(plane: ControlPlane): Promise<string> {
  const orders = permutations(STEPS);
  const batch = 6;
  for (let from = 0; from < orders.length; from += batch) {
    await Promise.all(orders.slice(from, from + batch).map((order, index) => inOrder(plane, order, from + index)));
  }
  return `${orders.length} orders`;
}

/** A namespace goes with all that is in it, whether the operator runs or not. */
export async function wholeNamespace(plane: ControlPlane): Promise<string> {
  await inOrder(plane, ["namespace"], 100);
  await inOrder(plane, ["operator", "namespace"], 101);
  return "with and without the operator";
}

async function inOrder(plane: ControlPlane, order: readonly Step[], number: number): Promise<void> {
  const site = await Site.open(plane, `order-${number}`);
  try {
    await site.cluster();
    await site.create(KAFKA_TOPICS, "t", {});
    await site.create(KAFKA_USERS, "u", { authentication: { type: "scram-sha-512" } });
    await site.start();
    await until("everything is ready", async () => {
      await sleep(LOOK_MS);
      const found = [await site.find(KAFKA_TOPICS, "t"), await site.find(KAFKA_USERS, "u")];
      return found.every((object) => readyOf(object).startsWith("True"));
    });
    for (const step of order) {
      if (step === "operator") await site.stop();
      else if (step === "namespace") await plane.ask("DELETE", `/api/v1/namespaces/${site.namespace}`);
      else await site.remove(RESOURCES[step], step === "cluster" ? "kaas" : step === "topic" ? "t" : "u");
    }
    await until(
      `${order.join(", ")}: all is gone`,
      async () => {
        await sleep(LOOK_MS);
        const left = [
          await site.find(KAFKA_TOPICS, "t"),
          await site.find(KAFKA_USERS, "u"),
          await site.find(KAFKA_CLUSTER_ASSIGNMENTS, "kaas"),
          await site.find(SECRETS, "u-kafka-credentials"),
        ];
        return left.every((object) => object === undefined);
      },
      240_000,
    );
  } finally {
    await site.end();
  }
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}
