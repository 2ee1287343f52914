import { silentLog } from "@kaas/core";
import { KAFKA_TOPICS, type KubernetesObject } from "@kaas/k8s";
import { describe, expect, test } from "vitest";
import { FakeKubernetesApi } from "../../../packages/kaas-k8s/src/testing/fake-kubernetes-api.js";
import { TestClock, TestRandom } from "../../../packages/kaas-storage/src/testing/test-clock.js";
import { EVENTS } from "../src/kubernetes/resources.js";
import { EventRecorder } from "../src/reporting/event-recorder.js";

/** What an API server takes as a name, and how many bytes of a note. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NOTE_BYTES_MAX = 1_024;

async function written(name: string, note: string): Promise<KubernetesObject & { readonly note: string }> {
  const clock = new TestClock();
  const api = new FakeKubernetesApi({ clock });
  const recorder = new EventRecorder({ api, instance: "one", clock, random: new TestRandom(), log: silentLog });
  const topic = { apiVersion: "kaas.rs/v1alpha1", kind: KAFKA_TOPICS.kind, metadata: { name, namespace: "kaas" } };
  recorder.record(topic, { type: "Normal", reason: "Ready", note, action: "Reconcile" });
  await recorder.flush();
  api.close();
  return api.all(EVENTS)[0] as KubernetesObject & { readonly note: string };
}

describe("an Event", () => {
  test.each(["orders", `${"a".repeat(199)}-b`, `${"a".repeat(198)}.-b`, "a".repeat(253)])(
    "has a name that an API server takes: for %s",
    async (name) => {
      const { metadata } = await written(name, "fine");
      expect(metadata.name).toMatch(NAME);
      expect(metadata.name.length).toBeLessThanOrEqual(253);
    },
  );

  test.each(["ü", "€", "😀", "a"])("has as much of a note as fits: of %s", async (character) => {
    const { note } = await written("orders", character.repeat(2_000));
    const bytes = Buffer.byteLength(note);
    expect([bytes <= NOTE_BYTES_MAX, bytes > NOTE_BYTES_MAX - 4]).toEqual([true, true]);
    expect(note).toBe(character.repeat(note.length / character.length));
  });
});
