import { until } from "../lib/until.js";
import { RESOURCES } from "../operator/site.js";
import type { Stage } from "./stage.js";
import { ADMIN_MS, expect, NOT_LET_IN, NOT_THIS_TOPIC, PARTITIONS, READY, USER } from "./user-rows.js";

/** The ordinal of the broker that comes back while nobody can tell it anything. */
const RESTARTED = 1;

/** The Lease of an operator that was killed runs out after 15 s; then the next one lists all that there is. */
const OPERATOR_BACK_MS = 240_000;

/** A broker that starts while API server and operator are away serves every topic, user and ACL that there was. */
export async function restartedAlone(stage: Stage): Promise<string> {
  const { site, cluster, java } = stage;
  const before = await java.ask("topics", await stage.admin());
  await cluster.balanced();
  await stage.killOperator();
  const logins = { admin: await stage.admin(), user: await stage.loginOf(USER) };
  await site.plane.killComponent("kube-apiserver");
  let process: string | undefined;
  try {
    const broker = cluster.brokers[RESTARTED];
    broker?.signal("SIGKILL");
    await broker?.ended;
    cluster.restart(RESTARTED);
    await until("it is ready", () => cluster.brokers[RESTARTED]?.isReady() ?? false);
    await serves(stage, logins, before);
    process = (await cluster.brokers[RESTARTED]?.health())?.incarnation;
  } finally {
    await site.plane.startComponent("kube-apiserver");
    await stage.startOperator();
  }
  await site.create(RESOURCES.topic, "afterwards", { partitions: 1 });
  const began = performance.now();
  await site.ready(RESOURCES.topic, "afterwards", READY, OPERATOR_BACK_MS);
  const back = ((performance.now() - began) / 1_000).toFixed(1);
  await stage.answers(/ 1$/, "describe", await stage.admin(), "afterwards");
  const isSame = (await cluster.brokers[RESTARTED]?.health())?.incarnation === process;
  const kept = isSame ? "which went on" : "which was deposed then";
  return `${before}: served by kaas-${RESTARTED}, ${kept}; the next operator works ${back} s after it was started`;
}

type Logins = Readonly<Record<"admin" | "user", { readonly jaasConfig: string }>>;

async function serves({ java, cluster }: Stage, { admin, user }: Logins, topics: string): Promise<void> {
  const bootstrapServers = cluster.bootstrapServers[RESTARTED] ?? "";
  const login = { bootstrapServers, jaasConfig: user.jaasConfig };
  const asAdmin = { bootstrapServers, jaasConfig: admin.jaasConfig };
  const shown = await java.ask("topics", asAdmin);
  expect(shown === topics, `it shows ${shown}`);
  await java.ask("send", login, "orders", -1, PARTITIONS, 10);
  const count = await java.ask("read", login, "orders", "shop-2", PARTITIONS);
  expect(Number(count) >= PARTITIONS, `${count} records were read`);
  await java.refused(NOT_THIS_TOPIC, "send", login, "secrets", -1, 1, 10);
  const wrong = login.jaasConfig.replace(/password="[^"]*"/, 'password="wrong"');
  await java.refused(NOT_LET_IN, "topics", { ...login, jaasConfig: wrong });
  const acls = await java.ask("acls", asAdmin, `User:${USER}`);
  expect(acls === "3", `it has ${acls} ACLs`);
  const began = performance.now();
  await java.refused(/^TimeoutException: .*API server/, "create", asAdmin, "impossible", 1, ADMIN_MS);
  expect(performance.now() - began < ADMIN_MS / 2, "who creates a topic is left waiting");
}

/** Brokers learn of what is changed about a topic that they know, once the operator has carried it out. */
export async function topicIsChanged(stage: Stage): Promise<string> {
  const { site } = stage;
  const admin = await stage.admin();
  for (const partitions of [2, 3]) {
    await site.merge(RESOURCES.topic, "secrets", { spec: { partitions } });
    await stage.shownByAll(new RegExp(`^${partitions}$`), "partitions", admin, "secrets");
  }
  await stage.java.ask("send", admin, "secrets", -1, 3, 10);
  return "1, 2, 3 partitions";
}

/** What an admin client does to topics is done to KafkaTopics; a topic that is made again is another. */
export async function administered(stage: Stage): Promise<string> {
  const { site, java } = stage;
  const admin = await stage.admin();
  const ids: string[] = [];
  for (const partitions of [2, 3]) {
    ids.push(await java.ask("create", admin, "made", partitions, ADMIN_MS));
    const object = await site.find(RESOURCES.topic, "made");
    expect(object?.spec.partitions === partitions, "there is no KafkaTopic");
    const said = await stage.answers(new RegExp(` ${partitions}$`), "describe", admin, "made");
    expect(said.startsWith(`${ids.at(-1)} `), `it was created as ${ids.at(-1)}, and is ${said}`);
    await stage.shownByAll(new RegExp(`^${partitions}$`), "partitions", admin, "made");
    await java.ask("send", admin, "made", -1, partitions, 10);
    await java.ask("delete", admin, "made");
    await until("its KafkaTopic is gone", async () => (await site.find(RESOURCES.topic, "made")) === undefined);
    await stage.shownByAll(/^(?!.*(\bmade\b|Exception))/, "topics", admin);
  }
  expect(ids[0] !== ids[1], `a topic that is made again has the id ${ids[0]} again`);
  return ids.join(", then ");
}
