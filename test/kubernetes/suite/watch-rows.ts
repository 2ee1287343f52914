import { isStatus, KAFKA_TOPICS, type KubernetesApi } from "@kaas/k8s";
import { until } from "../../lib/until.js";
import { expect, NAMESPACE, type Stage } from "./stage.js";
import { createTopics, deleteTopics, numbered, watchTopics } from "./topics.js";

/** The watch is cut, a topic goes, and the API server forgets that it ever was: the next list tells. */
export async function cutAndDeleted(stage: Stage): Promise<string> {
  const admin = await stage.connect();
  const link = await stage.link();
  await createTopics(admin, ["cut-stays", "cut-goes"]);
  const { watch, topics, deleted } = watchTopics(stage, await stage.connect({ link }));
  await until("both topics are told", () => topics.has("cut-stays") && topics.has("cut-goes"));
  link.cut();
  await until("the watch is broken", () => watch.health.failures > 0);
  await deleteTopics(admin, ["cut-goes"]);
  // A server that starts again has no history from before: the place is answered with 410 as an event.
  await stage.plane.killComponent("kube-apiserver");
  await stage.plane.startComponent("kube-apiserver");
  await createTopics(admin, ["cut-new"]);
  expect(deleted.length === 0, `told as deleted while nothing was known: ${deleted.join()}`);
  link.open();
  await until("the topic that went is retracted", () => deleted.includes("cut-goes"));
  await until("the new one is told", () => topics.has("cut-new"));
  expect(deleted.join() === "cut-goes", `retracted: ${deleted.join()}`);
  expect(topics.has("cut-stays"), "a topic that stays was forgotten");
  await deleteTopics(admin, ["cut-stays", "cut-new"]);
  return "retracted, and nothing else";
}

/** A list breaks off behind its first page: what it did not show is not retracted. */
export async function cutShort(stage: Stage): Promise<string> {
  const admin = await stage.connect();
  const link = await stage.link();
  // More than one page; these are on the last one.
  const many = numbered("short", 510);
  await createTopics(admin, many);
  const api = await stage.connect({ link });
  const cutting = cutBehindFirstPage(api, () => link.cut());
  const { watch, topics, deleted, isSynced } = watchTopics(stage, cutting.api);
  await until("all topics are told", () => isSynced() && topics.size === many.length);
  link.cut();
  await until("the watch is broken", () => watch.health.failures > 0);
  const gone = many.slice(505);
  await deleteTopics(admin, gone);
  await stage.plane.killComponent("kube-apiserver");
  await stage.plane.startComponent("kube-apiserver");
  cutting.arm();
  link.open();
  await until("a list was cut short", () => cutting.isCut());
  await until("that is noticed", () => watch.health.state === "waiting");
  expect(deleted.length === 0, `retracted by a list that was cut short: ${deleted.length}`);
  link.open();
  await until("the topics that went are retracted", () => deleted.length === gone.length);
  expect(topics.size === many.length - gone.length, `${topics.size} topics are left`);
  await deleteTopics(admin, many.slice(0, 505));
  await until("all are gone", () => topics.size === 0);
  return `nothing retracted; after a whole list the ${gone.length} that had gone`;
}

function cutBehindFirstPage(api: KubernetesApi, cut: () => void) {
  let isArmed = false;
  let isCut = false;
  const list: KubernetesApi["list"] = async (resource, query, options) => {
    if (isArmed && query?.continue !== undefined) {
      isArmed = false;
      isCut = true;
      cut();
    }
    return await api.list(resource, query, options);
  };
  const cutting: KubernetesApi = Object.create(api, { list: { value: list } }) as KubernetesApi;
  for (const method of ["get", "watch", "create", "replace", "patch", "delete", "close"] as const) {
    Object.defineProperty(cutting, method, { value: api[method].bind(api) });
  }
  return {
    api: cutting,
    arm: () => {
      isArmed = true;
    },
    isCut: () => isCut,
  };
}

/** Connections that are reset again and again lose no change. */
export async function resets(stage: Stage): Promise<string> {
  const admin = await stage.connect();
  const link = await stage.link();
  const { topics, deleted, isSynced } = watchTopics(stage, await stage.connect({ link }));
  await until("synced", isSynced);
  for (const name of numbered("reset", 20)) {
    await createTopics(admin, [name]);
    link.reset();
    await deleteTopics(admin, name.endsWith("0") ? [name] : []);
  }
  await until("all changes are told", () => topics.size === 18 && deleted.length <= 2);
  await deleteTopics(admin, [...topics.keys()]);
  await until("all are gone", () => topics.size === 0);
  return "20 resets, no change lost";
}

/** Nothing arrives any more, and no connection breaks. */
export async function silence(stage: Stage): Promise<string> {
  const admin = await stage.connect();
  const link = await stage.link();
  const { topics, deleted, isSynced } = watchTopics(stage, await stage.connect({ link }), 2000);
  await until("synced", isSynced);
  link.swallow();
  const joined = link.joined;
  await createTopics(admin, ["silent"]);
  await until("a new connection is tried", () => link.joined > joined);
  expect(topics.size === 0 && deleted.length === 0, "something was told while nothing arrived");
  link.reset();
  link.open();
  await until("the topic is told", () => topics.has("silent"));
  await deleteTopics(admin, ["silent"]);
  await until("its deletion too", () => deleted.length === 1);
  return "noticed, and all told afterwards";
}

/** The right to watch is taken away, and given back. */
export async function rightsLost(stage: Stage): Promise<string> {
  const admin = await stage.connect();
  const { plane } = stage;
  const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}`;
  const rules = [{ apiGroups: ["kaas.rs"], resources: ["kafkatopics"], verbs: ["list", "watch"] }];
  await plane.ask("POST", `${role}/roles`, JSON.stringify({ metadata: { name: "watch-topics" }, rules }));
  const binding = {
    metadata: { name: "watcher" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "watch-topics" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "watcher" }],
  };
  await plane.ask("POST", `${role}/rolebindings`, JSON.stringify(binding));
  const link = await stage.link();
  await createTopics(admin, ["rights-a", "rights-b"]);
  const { watch, topics, deleted } = watchTopics(stage, await stage.connect({ user: "watcher", link }));
  await until("both topics are told", () => topics.size === 2);
  await plane.ask("DELETE", `${role}/rolebindings/watcher`);
  // The API server learns that from a watch of its own: one that begins before is accepted, and goes on for minutes.
  const other = await stage.connect({ user: "watcher" });
  await until("the right is gone", () => isForbidden(other));
  link.reset();
  await until("it is forbidden", () => watch.health.lastError?.includes("forbidden") === true);
  await deleteTopics(admin, ["rights-a"]);
  await until("it goes on trying", () => watch.health.failures > 3);
  expect(deleted.length === 0 && topics.size === 2, "rights that are lost were taken for topics that are gone");
  await plane.ask("POST", `${role}/rolebindings`, JSON.stringify(binding));
  await until("the deletion is told", () => deleted.join() === "rights-a");
  await deleteTopics(admin, ["rights-b"]);
  await until("and the next one", () => topics.size === 0);
  return "nothing retracted meanwhile, all told when they were given back";
}

async function isForbidden(api: KubernetesApi): Promise<boolean> {
  return await api.list(KAFKA_TOPICS, { namespace: NAMESPACE }).then(
    () => false,
    (error: unknown) => isStatus(error, 403),
  );
}

/** The API server is away for seconds, with everything that it knew of watches. */
export async function serverKilled(stage: Stage): Promise<string> {
  const admin = await stage.connect();
  await createTopics(admin, ["killed-a"]);
  const { watch, topics, deleted } = watchTopics(stage, admin);
  await until("the topic is told", () => topics.has("killed-a"));
  await stage.plane.killComponent("kube-apiserver");
  await until("that is noticed", () => watch.health.failures > 2);
  expect(topics.size === 1 && deleted.length === 0, "a server that is away was taken for topics that are gone");
  await stage.plane.startComponent("kube-apiserver");
  await until("it watches again", () => watch.health.state === "watching" && watch.health.failures === 0);
  await deleteTopics(admin, ["killed-a"]);
  await until("changes are told again", () => deleted.join() === "killed-a");
  return "nothing retracted, and back by itself";
}
