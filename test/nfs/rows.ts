import { judge, type Load, readRecords } from "../cluster/load.js";
import { kafka } from "../cluster/clients.js";
import { afterwards, strangers, takenFrom } from "./epochs.js";
import { type Network, seconds, until } from "./guests.js";
import { BACK_SECONDS, PARTITIONS, type Side, type Stage, TOPIC } from "./stage.js";

const CUT_SECONDS = 35;
const MORE = 20;

function expect(faults: readonly string[], said: string): void {
  if (faults.length === 0) return;
  const [first = "", second] = faults;
  throw new Error(`${said}: ${first}${second === undefined ? "" : `; ${faults.length} faults in all`}`);
}

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

interface Deposition {
  /** From which the leader is cut off. */
  readonly networks: readonly Network[];
  readonly secondsMin: number;
  /** What is done about it. */
  readonly depose: () => Promise<void>;
}

/**
 * The controller, which leads partitions too, is cut off from the NFS server, the other broker and the API server, but not
 * from its clients, which go on sending to it. The other one takes over by itself.
 */
export async function leaderCutOff(stage: Stage): Promise<string> {
  const { controller, follower } = await stage.byControl();
  const networks = ["storage", "cluster"] as const;
  const depose = async (): Promise<void> => undefined;
  return await deposed(stage, controller, follower, { networks, secondsMin: CUT_SECONDS, depose });
}

/**
 * A leader is cut off from the NFS server alone: the controller hears that it lives, and does nothing. Somebody gives its
 * partitions to the other broker, which waits for a hand-over that cannot come.
 */
export async function leaderReplaced(stage: Stage): Promise<string> {
  const { controller, follower } = await stage.byControl();
  const depose = (): Promise<void> => stage.giveAllTo(controller);
  return await deposed(stage, follower, controller, { networks: ["storage"], secondsMin: 0, depose });
}

async function deposed(
  stage: Stage,
  { broker, client }: Side,
  successor: Side,
  { networks, secondsMin, depose }: Deposition,
): Promise<string> {
  const { guest, name } = broker;
  const incarnation = (await broker.health())?.incarnation;
  const cutMs = Date.now();
  for (const network of networks) guest.cut(network);
  await depose();
  await acknowledgesAll(successor, cutMs);
  const tookMs = Date.now() - cutMs;
  await stage.join([successor]);
  await seconds(secondsMin - (Date.now() - cutMs) / 1000);
  const { waiting } = client;
  for (const network of networks) guest.heal(network);
  const healedMs = Date.now();
  await until(`${name} starts anew`, BACK_SECONDS, async () => {
    const now = (await broker.health())?.incarnation;
    return now !== undefined && now !== incarnation;
  });
  await stage.balanced();
  const backMs = Date.now() - healedMs;
  const epochs = await stage.epochs();
  const taken = takenFrom(name, cutMs, epochs);
  const said = `cut off for ${inSeconds(healedMs - cutMs)}, ${taken.size} partitions taken over and acknowledged by ${successor.broker.name} after ${inSeconds(tookMs)}; ${waiting} requests waited at ${name}, which was at work again ${inSeconds(backMs)} after it was let back`;
  expect(taken.size > 0 ? [] : ["nothing was taken over"], said);
  expect(afterwards(client.acknowledged, name, taken), said);
  expect(strangers(stage.acknowledged, epochs), said);
  return `${said}; 0 acknowledged by it after a claim of ${successor.broker.name}`;
}

/** The NFS server loses its power, and with it all that it had in memory. Nobody is led by another for that. */
export async function serverLosesPower(stage: Stage): Promise<string> {
  const { server, sides } = stage;
  const incarnations = async (): Promise<string> =>
    (await Promise.all(sides.map(async ({ broker }) => (await broker.health())?.incarnation))).join(" ");
  const before = await incarnations();
  const times = server.said("guest: serves");
  const killedMs = Date.now();
  await server.kill();
  server.boot();
  await until("the server is back", BACK_SECONDS, () => server.said("guest: serves") > times);
  const backMs = Date.now();
  await goesOn(stage);
  const said = `away for ${inSeconds(backMs - killedMs)}, all partitions acknowledge ${inSeconds(Date.now() - backMs)} later`;
  const after = await incarnations();
  expect(after === before ? [] : [`brokers are ${after}, which were ${before}`], said);
  return `${said}, by the same brokers`;
}

/** Everything that was acknowledged to anybody is read by a consumer group: once, and where it was said to be. */
export async function nothingIsLost(stage: Stage): Promise<string> {
  await goesOn(stage);
  await stage.stop();
  const epochs = await stage.epochs();
  const read = await readRecords(kafka(stage.sides.map(({ broker }) => broker.bootstrapServer)), TOPIC);
  const faults = strangers(stage.acknowledged, epochs);
  const times = new Map<string, number>();
  // A group may be given a record twice; a log has it once.
  const logs = new Map([...read].map(([at, records]) => [at, new Map(records.map((one) => [one.offset, one.value]))]));
  for (const [partition, log] of logs) {
    const missing = Array.from({ length: log.size }, (_, offset) => offset).find((offset) => !log.has(offset));
    if (missing !== undefined) faults.push(`partition ${partition} has nothing at offset ${missing}`);
    for (const value of log.values()) times.set(value, (times.get(value) ?? 0) + 1);
  }
  for (const { broker, partition, offset, value } of stage.acknowledged) {
    const there = logs.get(partition)?.get(offset);
    if (there !== value) faults.push(`${broker} acknowledged ${value} at ${partition}:${offset}, where ${there} is`);
    if (times.get(value) !== 1) faults.push(`${value} is there ${times.get(value) ?? 0} times`);
  }
  const values = new Map([...logs].map(([partition, log]) => [partition, [...log.values()]]));
  const verdicts = stage.loads.map((load) => judge(load.acknowledged, values));
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const lost = sum(verdicts.map((verdict) => verdict.lost));
  const errors = stage.loads.flatMap((load) => load.errors);
  if (lost > 0) faults.push(`${lost} records that kafkajs had acknowledged are lost`);
  const byKafkaJs = sum(stage.loads.map(({ count }) => count));
  const said = `${stage.acknowledged.length} acknowledged to clients of one broker and ${byKafkaJs} to kafkajs (${errors.length} errors, ${sum(verdicts.map(({ repeated }) => repeated))} sent twice by it), ${sum([...logs.values()].map(({ size }) => size))} there`;
  expect(faults, said);
  return `${said}, 0 lost`;
}

/** Resolves once a broker has acknowledged something in every partition since a time. */
async function acknowledgesAll({ broker, client }: Side, sinceMs: number): Promise<void> {
  await until(`${broker.name} acknowledges in every partition`, BACK_SECONDS, () => {
    const since = client.acknowledged.slice(client.acknowledged.findLastIndex(({ atMs }) => atMs <= sinceMs) + 1);
    return new Set(since.map(({ partition }) => partition)).size === PARTITIONS.length;
  });
}

/** Resolves once every client has had further records acknowledged in every partition. */
async function goesOn({ loads }: Stage): Promise<void> {
  const counts = (load: Load): number[] => [...load.acknowledged.values()].map(({ length }) => length);
  const before = loads.map(counts);
  await until("acknowledgements go on", BACK_SECONDS, () =>
    loads.every((load, at) => counts(load).every((count, index) => count >= (before[at]?.[index] ?? 0) + MORE)),
  );
}
