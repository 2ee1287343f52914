/** What the server saw of the epochs of a topic's partitions, and what that says of acknowledgements. */

/** A record that a broker has acknowledged, as its client saw it. */
export interface Acknowledgement {
  readonly broker: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: string;
  /** Wall clock. */
  readonly atMs: number;
}

export interface Claim {
  readonly epoch: number;
  readonly broker: string;
  /** Wall clock of the server. */
  readonly atMs: number;
}

interface EpochStart {
  readonly epoch: number;
  readonly startOffset: number;
}

/** Of one partition. The server looks each second: an epoch that came and went in between has no claim here. */
export interface PartitionEpochs {
  /** Lowest first, as all others. */
  readonly claims: readonly Claim[];
  /** From which offset on each epoch wrote, as the newest seal says. */
  readonly starts: readonly EpochStart[];
}

export type Epochs = ReadonlyMap<number, PartitionEpochs>;

const DOCUMENT = /\/(\d+)\/(\d{8})\.(claim|seal):(\{.*\})$/;
const CLAIM_TIME = /^(\d+\.\d+) .*\/(\d+)\/(\d{8})\.claim$/;
const LOOKED = /^(\d+\.\d+) looked$/;

/** When the server looked last, by its clock. */
export function lookedMs(text: string): number {
  const last = text.split("\n").findLast((line) => LOOKED.test(line));
  return Number(LOOKED.exec(last ?? "")?.[1] ?? 0) * 1000;
}

/** Reads what the server has written down. A line that it was cut off in says nothing. */
export function readEpochs(text: string): Epochs {
  const brokers = new Map<string, string>();
  const times = new Map<string, number>();
  const seals = new Map<number, { readonly epoch: number; readonly starts: readonly EpochStart[] }>();
  for (const line of text.split("\n")) {
    const time = CLAIM_TIME.exec(line);
    if (time !== null) times.set(`${Number(time[2])}/${Number(time[3])}`, Number(time[1]) * 1000);
    const document = DOCUMENT.exec(line);
    if (document === null) continue;
    const [partition, epoch] = [Number(document[1]), Number(document[2])];
    const content = JSON.parse(document[4] ?? "") as { broker: string; epochs: readonly EpochStart[] };
    if (document[3] === "claim") brokers.set(`${partition}/${epoch}`, content.broker);
    else if (epoch >= (seals.get(partition)?.epoch ?? 0)) seals.set(partition, { epoch, starts: content.epochs });
  }
  const claims = new Map<number, Claim[]>([...seals.keys()].map((partition) => [partition, []]));
  for (const [key, broker] of brokers) {
    const [partition = 0, epoch = 0] = key.split("/").map(Number);
    const atMs = times.get(key);
    if (atMs !== undefined) claims.get(partition)?.push({ epoch, broker, atMs });
  }
  return new Map(
    [...claims].map(([partition, all]) => [
      partition,
      { claims: all.sort((one, other) => one.epoch - other.epoch), starts: seals.get(partition)?.starts ?? [] },
    ]),
  );
}

/** Acknowledgements of offsets that belong to an epoch of another broker. */
export function strangers(acknowledged: readonly Acknowledgement[], epochs: Epochs): string[] {
  return acknowledged.flatMap(({ broker, partition, offset, value }) => {
    const { claims = [], starts = [] } = epochs.get(partition) ?? {};
    const epoch = starts.findLast(({ startOffset }) => startOffset <= offset)?.epoch;
    const owner = claims.find((claim) => claim.epoch === epoch)?.broker;
    if (owner === undefined || owner === broker) return [];
    return [
      `${broker} acknowledged ${value} at offset ${offset} of partition ${partition}: epoch ${epoch} of ${owner}`,
    ];
  });
}

/** What others claimed since some time of what a broker led, and until when they had it. */
export function takenFrom(
  deposed: string,
  sinceMs: number,
  epochs: Epochs,
): ReadonlyMap<number, { readonly claim: Claim; readonly untilMs: number }> {
  const taken = new Map<number, { readonly claim: Claim; readonly untilMs: number }>();
  for (const [partition, { claims }] of epochs) {
    const index = claims.findIndex(({ broker, atMs }) => atMs > sinceMs && broker !== deposed);
    const claim = claims[index];
    if (claim === undefined || claims[index - 1]?.broker !== deposed) continue;
    const back = claims.slice(index).find(({ broker }) => broker === deposed);
    taken.set(partition, { claim, untilMs: back?.atMs ?? Number.POSITIVE_INFINITY });
  }
  return taken;
}

/** What a broker acknowledged of partitions while they were another's. */
export function afterwards(
  acknowledged: readonly Acknowledgement[],
  deposed: string,
  taken: ReturnType<typeof takenFrom>,
): string[] {
  return acknowledged.flatMap(({ broker, partition, offset, value, atMs }) => {
    const { claim, untilMs } = taken.get(partition) ?? {};
    if (broker !== deposed || claim === undefined || untilMs === undefined) return [];
    if (atMs <= claim.atMs || atMs >= untilMs) return [];
    const lateMs = Math.round(atMs - claim.atMs);
    return [`${value} at offset ${offset} of partition ${partition}, ${lateMs} ms after ${claim.broker} claimed it`];
  });
}
