import type { KubernetesObject, Resource } from "@kaas/k8s";
import { KAFKA_CLUSTER_ASSIGNMENTS, KAFKA_CLUSTERS, KAFKA_TOPICS, KAFKA_USERS } from "@kaas/k8s";
import {
  badExamples,
  goodExamples,
  type ResourceExample,
} from "../../packages/kaas-operator-api/test/resource-examples.js";
import type { Site } from "./site.js";

const BY_KIND: Readonly<Record<string, Resource>> = {
  KafkaTopic: KAFKA_TOPICS,
  KafkaUser: KAFKA_USERS,
  KafkaCluster: KAFKA_CLUSTERS,
  KafkaClusterAssignments: KAFKA_CLUSTER_ASSIGNMENTS,
};

/** The API server takes what validation takes. */
export async function taken(site: Site): Promise<string> {
  for (const example of goodExamples) {
    const refusal = await refusalOf(site, example);
    if (refusal !== undefined) throw new Error(`${example.title} is refused: ${refusal}`);
  }
  return `${goodExamples.length} examples`;
}

/** It refuses what validation refuses, by the same name and in the same words. */
export async function refused(site: Site): Promise<string> {
  for (const example of badExamples) {
    const refusal = await refusalOf(site, example);
    if (refusal === undefined) throw new Error(`${example.title} is taken`);
    const { path = "", message = /^$/ } = example.problem ?? {};
    if (!refusal.includes(path) || !message.test(refusal)) throw new Error(`${example.title}: ${refusal}`);
  }
  return `${badExamples.length} examples`;
}

/** What the API server has against an example; nothing of it is left behind. */
async function refusalOf(site: Site, { resource, previous }: ResourceExample): Promise<string | undefined> {
  const wanted = inNamespace(site, resource);
  const kind = BY_KIND[wanted.kind] as Resource;
  const ref = { name: wanted.metadata.name, namespace: site.namespace };
  try {
    if (previous === undefined) {
      await site.admin.create(kind, wanted);
    } else {
      const { metadata } = await site.admin.create(kind, inNamespace(site, previous));
      await site.admin.replace(kind, { ...wanted, metadata: { ...wanted.metadata, ...metadata } });
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await site.admin.delete(kind, ref).catch(() => undefined);
  }
}

function inNamespace({ namespace }: Site, object: object): KubernetesObject {
  const whole = object as KubernetesObject;
  return { ...whole, metadata: { ...whole.metadata, namespace } };
}
