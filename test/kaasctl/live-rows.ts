import { deepEqual, equal, match, ok } from "node:assert/strict";
import { COMMITTED, type Content, RECORDS, RETENTION_MS } from "./content.js";
import { asked, kaasctl, table } from "./kaasctl.js";

/** What was found, and what must be the same of every broker. */
export interface Told {
  readonly said: string;
  readonly alike: unknown;
}

interface TopicRow {
  readonly name: string;
  readonly id: string;
  readonly partitions: number;
  readonly sizeBytes: number;
  readonly overrides: Readonly<Record<string, string>>;
}

interface DescribedTopic extends Omit<TopicRow, "partitions"> {
  readonly partitionCount: number;
  readonly partitions: readonly {
    readonly partition: number;
    readonly leader: number;
    readonly logStartOffset: number;
    readonly highWatermark: number;
    readonly sizeBytes: number;
  }[];
}

interface BrokerRow {
  readonly nodeId: number;
  readonly isFenced: boolean;
  readonly isController: boolean;
  readonly partitions: number;
  readonly listeners: readonly { readonly host: string; readonly port: number }[];
}

interface AclRow {
  readonly principal: string;
}

const ID = /^[\w-]{22}$/;

export async function topics(port: number, { topic }: Content): Promise<Told> {
  const listed = (await asked<TopicRow[]>(port, "topic", "ls")).find(({ name }) => name === topic);
  const described = await asked<DescribedTopic>(port, "topic", "describe", topic);
  ok(listed !== undefined, "the topic is not listed");
  match(described.id, ID);
  const sizes = described.partitions.map(({ sizeBytes }) => sizeBytes);
  ok(
    sizes.every((bytes, partition) => bytes > 0 === (RECORDS[partition] ?? 0) > 0),
    `sizes: ${sizes.join(", ")}`,
  );
  deepEqual(listed, {
    name: topic,
    id: described.id,
    partitions: RECORDS.length,
    sizeBytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
    overrides: { "retention.ms": RETENTION_MS },
  });
  deepEqual(described.overrides, listed.overrides);
  deepEqual(
    described.partitions.map(({ partition, logStartOffset, highWatermark }) => [
      partition,
      logStartOffset,
      highWatermark,
    ]),
    RECORDS.map((count, partition) => [partition, 0, count]),
  );
  const shown = (await table(port, "topic", "ls")).find(([name]) => name === topic);
  deepEqual([shown?.[1], shown?.[2], shown?.at(-1)], [described.id, "3", `retention.ms=${RETENTION_MS}`]);
  return { said: `${RECORDS.length} partitions with ${listed.sizeBytes} bytes`, alike: described.overrides };
}

export async function brokers(port: number, { topic }: Content): Promise<Told> {
  const rows = await asked<BrokerRow[]>(port, "brokers");
  const [broker] = rows;
  ok(broker !== undefined && rows.length === 1 && broker.partitions >= RECORDS.length, JSON.stringify(rows));
  const listeners = [{ host: "127.0.0.1", port }];
  deepEqual([broker.isFenced, broker.isController, broker.listeners], [false, true, listeners]);
  const whole = await asked<{ readonly clusterId: string; readonly controllerId: number; readonly topics: TopicRow[] }>(
    port,
    "assignment",
    "show",
  );
  match(whole.clusterId, ID);
  equal(whole.controllerId, broker.nodeId);
  ok(
    whole.topics.some(({ name }) => name === topic),
    "the topic is not in what is assigned",
  );
  const led = await asked<{ readonly leader: number; readonly wished: number[] }[]>(port, "assignment", "show", topic);
  deepEqual(
    led.map(({ leader, wished }) => ({ leader, wished })),
    RECORDS.map(() => ({ leader: broker.nodeId, wished: [] })),
  );
  const shown = (await table(port, "brokers"))[1];
  deepEqual([shown?.[0], shown?.[1], shown?.[2]], [String(broker.nodeId), "alive", "controller"]);
  return { said: `cluster ${whole.clusterId}, ${broker.partitions} partitions led`, alike: broker.isController };
}

export async function groups(port: number, { topic, group }: Content): Promise<Told> {
  const { offsets, ...told } = await asked<{ readonly offsets: readonly Readonly<Record<string, unknown>>[] }>(
    port,
    "offsets",
    "show",
    group,
  );
  const rows = offsets.map(({ topicId, leaderEpoch, ...row }) => {
    match(String(topicId), ID);
    equal(typeof leaderEpoch, "number");
    return row;
  });
  deepEqual(
    rows,
    COMMITTED.map((offset, partition) => {
      const highWatermark = RECORDS[partition] ?? 0;
      return { topic, partition, offset, metadata: "", highWatermark, lag: highWatermark - offset };
    }).filter(({ offset }) => offset >= 0),
  );
  const lines = await table(port, "offsets", "show", group);
  deepEqual(lines[0], ["group", group]);
  deepEqual(
    lines.filter(([name]) => name === topic).map((cells) => cells.slice(1, 5)),
    rows.map(({ partition, offset, highWatermark, lag }) => [partition, offset, highWatermark, lag].map(String)),
  );
  return { said: JSON.stringify(told), alike: { ...told, rows } };
}

export async function users(port: number, { user, prefix }: Content): Promise<Told> {
  const principal = `User:${user}`;
  const expected = {
    resourceType: "TOPIC",
    patternType: "PREFIXED",
    operation: "READ",
    permission: "ALLOW",
    resourceName: prefix,
    principal,
    host: "127.0.0.1",
  };
  deepEqual((await asked<{ readonly acls: AclRow[] }>(port, "acl", "ls", principal)).acls, [expected]);
  const described = await asked(port, "user", "describe", user);
  deepEqual(described, { name: user, mechanisms: [], quotas: [], acls: [expected] });
  const listed = await asked<{ readonly users: readonly { readonly name: string }[] }>(port, "user", "ls");
  deepEqual(
    listed.users.filter(({ name }) => name === user),
    [described],
  );
  const shown = (await table(port, "acl", "ls")).find(([name]) => name === principal);
  deepEqual(shown, [principal, "ALLOW", "READ", "TOPIC", `${prefix}…`, "127.0.0.1"]);
  return { said: "one ACL of one user", alike: described };
}

/** Each is said on standard error, with the exit status that the manual has for it. */
export async function unknown(port: number): Promise<Told> {
  const said: unknown[] = [];
  for (const args of [
    ["topic", "describe", "not-there"],
    ["offsets", "show", "not-there"],
    ["user", "describe", "not-there"],
    ["doctor"],
  ]) {
    const { code, stdout, stderr } = await kaasctl(port, ...args);
    deepEqual([code, stdout], [2, ""], `${args.join(" ")}: exit status ${code}: ${stderr}`);
    match(
      stderr,
      args.length > 1 ? /^kaasctl: there is no \w+ not-there in the cluster/m : /^kaasctl: doctor does not/,
    );
    said.push([args, code, stderr]);
  }
  return { said: `${said.length} refused with exit status 2`, alike: said };
}
