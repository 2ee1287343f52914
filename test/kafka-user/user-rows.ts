import { SECRETS } from "../operator/resource-rows.js";
import { until } from "../lib/until.js";
import { RESOURCES } from "../operator/site.js";
import type { Stage } from "./stage.js";

export const USER = "shop";
export const READY = /^True/;
export const NOT_LET_IN = /^SaslAuthenticationException: .*invalid credentials/;
export const NOT_THIS_TOPIC = /^TopicAuthorizationException/;
const NOT_THIS_GROUP = /^GroupAuthorizationException/;
const NOT_THE_CLUSTER = /^ClusterAuthorizationException/;
export const PARTITIONS = 6;
/** Bytes a second and broker. */
const QUOTA = 20_000;
const BIG_RECORDS = 8;
const BIG_RECORD = 1.5 * QUOTA;
/**
 * Of two windows of a second the older one is forgotten as a whole, so that two of these records pass in two seconds: 1.5
 * times the quota, and a little more for the first. Which it is depends on when the windows begin.
 */
const RATE_MAX = 2 * QUOTA;
/** What an admin client gives a change: slow is no failure. */
export const ADMIN_MS = 100_000;

export function expect(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}

/** A topic is served once somebody has written its KafkaTopic. */
export async function topicIsServed(stage: Stage): Promise<string> {
  const { site } = stage;
  await site.create(RESOURCES.topic, "orders", { partitions: PARTITIONS });
  await site.create(RESOURCES.topic, "secrets", { partitions: 1 });
  await site.ready(RESOURCES.topic, "orders", READY);
  await site.ready(RESOURCES.topic, "secrets", READY);
  const admin = await stage.admin();
  const said = await stage.answers(new RegExp(` ${PARTITIONS}$`), "describe", admin, "orders");
  const { status } = (await site.find(RESOURCES.topic, "orders")) ?? {};
  expect(said.startsWith(`${status?.topicId} `), `another id than ${status?.topicId}: ${said}`);
  await stage.answers(/ 1$/, "describe", admin, "secrets");
  return said;
}

/** From the KafkaUser to records that are read again, with nothing but what the Secret says. */
export async function loggedIn(stage: Stage): Promise<string> {
  const { site, java } = stage;
  await site.create(RESOURCES.user, USER, {
    authentication: { type: "scram-sha-512" },
    authorization: {
      type: "simple",
      acls: [
        { resource: { type: "topic", name: "orders" }, operations: ["Read", "Write"] },
        { resource: { type: "group", name: "shop-", patternType: "prefix" }, operations: ["Read"] },
      ],
    },
  });
  await site.ready(RESOURCES.user, USER, READY);
  for (const key of ["username", "password", "sasl.mechanism", "sasl.jaas.config", "bootstrap.servers"]) {
    await until(`the Secret has ${key}`, async () => ((await stage.secretOf(USER))[key] ?? "") !== "");
  }
  const login = await stage.loginOf(USER);
  // Whichever broker it asks first.
  await java.ask("send", login, "orders", -1, 4 * PARTITIONS, 100);
  const count = await java.ask("read", login, "orders", "shop-1", 4 * PARTITIONS);
  expect(count === `${4 * PARTITIONS}`, `${count} records were read`);
  return `${count} records sent and read`;
}

/** What no ACL allows is refused, and not shown. */
export async function refusedTheRest(stage: Stage): Promise<string> {
  const { java } = stage;
  const login = await stage.loginOf(USER);
  await java.refused(NOT_THIS_TOPIC, "send", login, "secrets", -1, 1, 10);
  await java.refused(NOT_THIS_TOPIC, "send", login, "nowhere", -1, 1, 10);
  await java.refused(NOT_THIS_TOPIC, "read", login, "secrets", "shop-1", 1);
  await java.refused(NOT_THIS_GROUP, "read", login, "orders", "other", 1);
  await java.refused(NOT_THIS_TOPIC, "create", login, "mine", 1, ADMIN_MS);
  await java.refused(NOT_THIS_TOPIC, "delete", login, "orders");
  await java.refused(NOT_THE_CLUSTER, "acls", login, "User:shop");
  const shown = await java.ask("topics", login);
  expect(shown === "orders", `it is shown ${shown}`);
  return "7 ways";
}

/** Whoever has a quota is slowed down to it, and no longer than until it is taken away. */
export async function throttled(stage: Stage): Promise<string> {
  const { site, java } = stage;
  const login = await stage.loginOf(USER);
  const send = async (count: number): Promise<{ ms: number; throttleMs: number }> => {
    const said = await java.ask("send", login, "orders", 0, count, BIG_RECORD);
    const [ms = 0, throttleMs = 0] = said.split(" ").map(Number);
    return { ms, throttleMs };
  };
  await site.merge(RESOURCES.user, USER, { spec: { quotas: { producerMaxByteRatePerBroker: QUOTA } } });
  await until("the quota holds", async () => (await send(2)).throttleMs > 0);
  const { ms, throttleMs } = await send(BIG_RECORDS);
  await site.merge(RESOURCES.user, USER, { spec: { quotas: null } });
  await until("the quota is gone", async () => (await send(2)).throttleMs === 0);
  // Nobody waits after the last one.
  const rate = Math.round(((BIG_RECORDS - 1) * BIG_RECORD) / (ms / 1_000));
  const said = `${rate} bytes a second at a quota of ${QUOTA}, throttled for up to ${throttleMs} ms`;
  expect(rate < RATE_MAX && throttleMs > 0, said);
  return said;
}

/** A Secret that is deleted is made again with another password; one that somebody has given is followed. */
export async function rotated(stage: Stage): Promise<string> {
  const { site, java } = stage;
  const old = await stage.loginOf(USER);
  await site.remove(SECRETS, `${USER}-kafka-credentials`);
  await until("there is a new password", async () => {
    const { password = "" } = await stage.secretOf(USER);
    return password !== "" && !old.jaasConfig.includes(password);
  });
  const generated = await stage.loginOf(USER);
  await stage.shownByAll(/^orders$/, "topics", generated);
  await java.refused(NOT_LET_IN, "topics", old);

  const metadata = { name: "given", namespace: site.namespace };
  const data = (password: string) => ({ data: { pw: Buffer.from(password).toString("base64") } });
  await site.admin.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata, ...data('first "one"') });
  const password = { valueFrom: { secretKeyRef: { name: "given", key: "pw" } } };
  await site.merge(RESOURCES.user, USER, { spec: { authentication: { password } } });
  await until("the password is the given one", async () => (await stage.secretOf(USER))["password"] === 'first "one"');
  const first = await stage.loginOf(USER);
  await stage.shownByAll(/^orders$/, "topics", first);
  await java.refused(NOT_LET_IN, "topics", generated);
  await site.merge(SECRETS, "given", data("second"));
  await until("the password follows", async () => (await stage.secretOf(USER))["password"] === "second");
  await stage.shownByAll(/^orders$/, "topics", await stage.loginOf(USER));
  await java.refused(NOT_LET_IN, "topics", first);
  return "three passwords, each refused once there was another";
}

/** With the KafkaUser goes all that it had. */
export async function deleted(stage: Stage): Promise<string> {
  const { site } = stage;
  const admin = await stage.admin();
  const login = await stage.loginOf(USER);
  await stage.answers(/^3$/, "acls", admin, `User:${USER}`);
  await site.remove(RESOURCES.user, USER);
  await stage.shownByAll(NOT_LET_IN, "topics", login);
  await stage.java.refused(NOT_LET_IN, "send", login, "orders", -1, 1, 10);
  await stage.answers(/^0$/, "acls", admin, `User:${USER}`);
  await until("its Secret is gone", async () => Object.keys(await stage.secretOf(USER)).length === 0);
  return "not let in, no ACLs, no Secret";
}
