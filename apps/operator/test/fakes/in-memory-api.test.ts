import { KAFKA_TOPICS, type KubernetesObject } from "@kaas/k8s";
import type { KafkaTopic } from "@kaas/operator-api";
import { describe, expect, test } from "vitest";
import { SECRETS } from "../../src/kubernetes/resources.js";
import { InMemoryApi } from "./in-memory-api.js";

const ref = { name: "t", namespace: "kaas" };
const topic = (partitions = 2): KafkaTopic => ({
  apiVersion: "kaas.rs/v1alpha1",
  kind: "KafkaTopic",
  metadata: { ...ref },
  spec: { partitions },
});

describe("the API server in memory", () => {
  test("gives objects a uid, versions and generations, which only a change of the spec counts up", async () => {
    const api = new InMemoryApi();
    const created = await api.create(KAFKA_TOPICS, topic());
    expect(created.metadata).toMatchObject({ uid: "uid-1", generation: 1 });
    const status = { type: "merge", object: { status: { partitionCount: 2 } } } as const;
    const reported = await api.patch(KAFKA_TOPICS, ref, status, { subresource: "status" });
    expect(reported.metadata.generation).toBe(1);
    expect(reported.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    const grown = await api.patch(KAFKA_TOPICS, ref, { type: "merge", object: { spec: { partitions: 3 } } });
    expect(grown).toMatchObject({ metadata: { generation: 2 }, status: { partitionCount: 2 } });
  });

  test("keeps status and the rest apart", async () => {
    const api = new InMemoryApi();
    await api.create(KAFKA_TOPICS, topic());
    const both = { type: "merge", object: { spec: { partitions: 9 }, status: { partitionCount: 9 } } } as const;
    expect((await api.patch(KAFKA_TOPICS, ref, both, { subresource: "status" })).spec.partitions).toBe(2);
    expect((await api.patch(KAFKA_TOPICS, ref, both)).status?.partitionCount).toBe(9);
  });

  test("refuses what is not there, is there already, is outdated, or breaks a rule", async () => {
    const api = new InMemoryApi();
    await expect(api.get(KAFKA_TOPICS, ref)).rejects.toMatchObject({ status: 404 });
    const created = await api.create(KAFKA_TOPICS, topic());
    await expect(api.create(KAFKA_TOPICS, topic())).rejects.toMatchObject({ status: 409, reason: "AlreadyExists" });
    await api.replace(KAFKA_TOPICS, { ...created, spec: { partitions: 3 } });
    await expect(api.replace(KAFKA_TOPICS, created)).rejects.toMatchObject({ status: 409, reason: "Conflict" });
    await expect(
      api.patch(KAFKA_TOPICS, ref, { type: "merge", object: { spec: { partitions: 1 } } }),
    ).rejects.toMatchObject({ status: 422 });
  });

  test("a change that changes nothing makes no version", async () => {
    const api = new InMemoryApi();
    const { metadata } = await api.create(KAFKA_TOPICS, topic());
    const again = await api.patch(KAFKA_TOPICS, ref, { type: "merge", object: { spec: { partitions: 2 } } });
    expect(again.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test("tells watches what happens, until it is told to stop", async () => {
    const api = new InMemoryApi();
    const stop = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      const query = { namespace: "kaas", resourceVersion: "100", timeoutSeconds: 60 };
      for await (const event of api.watch(KAFKA_TOPICS, query, { signal: stop.signal })) seen.push(event.type);
    })();
    await api.create(KAFKA_TOPICS, topic());
    await api.patch(KAFKA_TOPICS, ref, { type: "merge", object: { spec: { partitions: 3 } } });
    await api.delete(KAFKA_TOPICS, ref);
    await expect.poll(() => seen).toEqual(["BOOKMARK", "ADDED", "MODIFIED", "DELETED"]);
    stop.abort(new Error("stopped"));
    await expect(watching).rejects.toThrow("stopped");
  });

  test("removes what an object owns with it", async () => {
    const api = new InMemoryApi();
    const { metadata } = await api.create(KAFKA_TOPICS, topic());
    const owner = { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaTopic", name: "t", uid: metadata.uid ?? "" };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { ...ref, ownerReferences: [owner] } };
    await api.create(SECRETS, secret);
    await api.delete(KAFKA_TOPICS, ref);
    expect(api.all(SECRETS)).toEqual([]);
  });

  test("applies: what a manager wants no more goes, what others put there stays", async () => {
    const api = new InMemoryApi();
    const base: KubernetesObject = { apiVersion: "v1", kind: "Secret", metadata: { ...ref } };
    const apply = (data: object) =>
      api.patch(SECRETS, ref, { type: "apply", fieldManager: "m", object: { ...base, data } });
    await apply({ a: "1", b: "2" });
    await api.patch(SECRETS, ref, { type: "merge", object: { data: { c: "3" } } });
    await apply({ a: "1" });
    expect(api.peek(SECRETS, ref)?.data).toEqual({ a: "1", c: "3" });
  });

  test("selects by labels and by name", async () => {
    const api = new InMemoryApi();
    const secret = (name: string, labels: Record<string, string>) =>
      api.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "kaas", labels } });
    await secret("a", { app: "x", tier: "1" });
    await secret("b", { app: "x" });
    const names = async (query: object) => (await api.list(SECRETS, query)).items.map(({ metadata }) => metadata.name);
    expect(await names({ labelSelector: "app=x" })).toEqual(["a", "b"]);
    expect(await names({ labelSelector: "app=x,tier=1" })).toEqual(["a"]);
    expect(await names({ labelSelector: "tier" })).toEqual(["a"]);
    expect(await names({ fieldSelector: "metadata.name=b" })).toEqual(["b"]);
    expect(await names({ namespace: "other" })).toEqual([]);
  });
});
