/**
 * What the storage engine does by itself, without sockets and protocol: appends and reads a second, on this disk, now.
 *
 * ```
 * npx tsx packages/kaas-storage/bench/append.ts [--directory DIR] [--rounds N] [--json] [SCENARIO…]
 * ```
 *
 * Rounds of the engine take turns with rounds of the bare disk (the same bytes and the same number in flight, appended
 * to a plain file, one fdatasync a group), so that both meet the same neighbours; the ratio is of their medians.
 */
process.env["UV_THREADPOOL_SIZE"] ??= "16";
const fs = await import("node:fs");
const { tmpdir } = await import("node:os");
const { parseArgs } = await import("node:util");
const { silentLog } = await import("@kaas/core");
const { batch, buildBatch } = await import("@kaas/core/internal");
const { openVolume } = await import("../src/index.js");
const { defaultLogConfig } = await import("../src/testing/log-config.js");

type Log = Awaited<ReturnType<Awaited<ReturnType<typeof openVolume>>["logs"]["open"]>>;

interface Scenario {
  readonly name: string;
  readonly partitions: number;
  readonly batchBytes: number;
  /** Appends on their way to each partition. */
  readonly inFlight: number;
  readonly flushMessages: number;
}

interface Round {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: "fsync-1", partitions: 1, batchBytes: 16_384, inFlight: 5, flushMessages: 1 },
  { name: "fsync-1-small", partitions: 1, batchBytes: 1_024, inFlight: 5, flushMessages: 1 },
  { name: "fsync-1-wide", partitions: 1, batchBytes: 16_384, inFlight: 64, flushMessages: 1 },
  { name: "bulk", partitions: 1, batchBytes: 1_000_000, inFlight: 8, flushMessages: 1 },
  { name: "fsync-16", partitions: 16, batchBytes: 16_384, inFlight: 5, flushMessages: 1 },
  { name: "fsync-64", partitions: 64, batchBytes: 16_384, inFlight: 5, flushMessages: 1 },
  { name: "plain-1", partitions: 1, batchBytes: 16_384, inFlight: 5, flushMessages: 0 },
  { name: "plain-16", partitions: 16, batchBytes: 16_384, inFlight: 5, flushMessages: 0 },
];
const ROUND_MS = 300;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    directory: { type: "string", default: tmpdir() },
    rounds: { type: "string", default: "8" },
    json: { type: "boolean", default: false },
  },
});

/** A batch of so many bytes, as a client sends it; each append needs its own copy, as each request has its own. */
function template(bytes: number): Buffer {
  return buildBatch([{ value: Buffer.alloc(bytes - 80, 7), timestamp: Date.now() }]);
}

async function measured(work: (isOver: () => boolean) => Promise<number>): Promise<Round> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const count = await work(() => performance.now() - start > ROUND_MS);
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: count / seconds, cpuMicros: (user + system) / count };
}

function engineRound(logs: readonly Log[], source: Buffer, inFlight: number): Promise<Round> {
  return measured(async (isOver) => {
    let count = 0;
    const stream = async (log: Log): Promise<void> => {
      while (!isOver()) {
        const frame = Buffer.allocUnsafeSlow(source.length);
        source.copy(frame);
        const { errorCode, errorMessage } = await log.append(frame, -1);
        if (errorCode !== 0) throw new Error(`append failed with ${errorCode}: ${errorMessage}`);
        count++;
      }
    };
    await Promise.all(logs.flatMap((log) => Array.from({ length: inFlight }, () => stream(log))));
    return count;
  });
}

/** The disk alone: what is in flight is written in one go, and fsynced. */
class BareDisk {
  readonly #path: string;
  readonly #file: number;
  #position = 0;

  constructor(directory: string) {
    this.#path = `${directory}/bare`;
    this.#file = fs.openSync(this.#path, "wx+");
  }

  round(source: Buffer, inFlight: number): Promise<Round> {
    const group = Array.from({ length: inFlight }, () => source);
    return measured(async (isOver) => {
      let count = 0;
      while (!isOver()) {
        this.#position += fs.writevSync(this.#file, group, this.#position);
        await new Promise<void>((resolve, reject) => {
          fs.fdatasync(this.#file, (error) => (error === null ? resolve() : reject(error)));
        });
        count += inFlight;
      }
      return count;
    });
  }

  close(): void {
    fs.closeSync(this.#file);
    fs.unlinkSync(this.#path);
  }
}

function median(rounds: readonly Round[], of: keyof Round): number {
  const sorted = rounds.map((round) => round[of]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function withLogs(
  partitions: number,
  flushMessages: number,
  work: (logs: Log[], directory: string) => Promise<void>,
): Promise<void> {
  const directory = fs.mkdtempSync(`${options.directory}/kaas-bench-`);
  const log = { ...silentLog, warn: console.warn, error: console.error };
  const volume = await openVolume({ directory: `${directory}/volume`, log });
  try {
    const topic = await volume.topics.create("bench", partitions, {});
    const config = { ...defaultLogConfig, flushMessages };
    const ids = Array.from({ length: partitions }, (_, partition) => ({
      topic: "bench",
      topicId: topic.id,
      partition,
    }));
    await work(await Promise.all(ids.map((id) => volume.logs.open(id, config))), directory);
  } finally {
    await volume.close();
    fs.rmSync(directory, { recursive: true });
  }
}

async function produce({ name, partitions, batchBytes, inFlight, flushMessages }: Scenario): Promise<void> {
  await withLogs(partitions, flushMessages, async (logs, directory) => {
    const source = template(batchBytes);
    const disk = new BareDisk(directory);
    const engine: Round[] = [];
    const bare: Round[] = [];
    await engineRound(logs, source, inFlight); // preallocation and the compiler find their pace
    for (let round = 0; round < Number(options.rounds); round++) {
      bare.push(await disk.round(source, inFlight));
      engine.push(await engineRound(logs, source, inFlight));
    }
    disk.close();
    const perSecond = median(engine, "perSecond");
    const alone = median(bare, "perSecond");
    if (options.json) {
      console.log(JSON.stringify({ name, perSecond, bareDiskPerSecond: alone }));
      return;
    }
    const cells = [
      name.padEnd(14),
      `${Math.round(perSecond)}/s`.padStart(10),
      `${Math.round((perSecond * batchBytes) / 1e6)} MB/s`.padStart(10),
      `${median(engine, "cpuMicros").toFixed(0)} µs CPU each`.padStart(18),
    ];
    if (flushMessages === 1) {
      cells.push(`bare disk ${Math.round(alone)}/s, ratio ${(perSecond / alone).toFixed(2)}`);
    }
    console.log(cells.join("  "));
  });
}

async function readAll(log: Log, maxBytes: number): Promise<number> {
  let bytes = 0;
  for (let offset = 0; offset < log.highWatermark; ) {
    const { records, sizeBytes } = await log.read(offset, {
      maxBytes,
      minOneBatch: true,
      isolation: "read_uncommitted",
    });
    const last = records.at(-1);
    if (last === undefined) throw new Error(`nothing at offset ${offset}`);
    let at = 0;
    while (at + batch.batchSize(last, at) < last.length) at += batch.batchSize(last, at);
    offset = batch.lastOffset(last, at) + 1;
    bytes += sizeBytes;
  }
  return bytes;
}

/** From the page cache: what a consumer asks for that is behind, but not far. */
async function consume(): Promise<void> {
  await withLogs(1, 0, async ([log]) => {
    if (log === undefined) return;
    const source = template(16_384);
    for (let n = 0; n < 20_000; n++) await log.append(Buffer.from(source), 1);
    for (const maxBytes of [1_048_576, 65_536]) {
      const { perSecond, cpuMicros } = await measured(() => readAll(log, maxBytes));
      const rate = `${Math.round(perSecond / 1e6)} MB/s, ${Math.round(1 / cpuMicros)} MB a CPU second`;
      console.log(`read-${maxBytes >> 10}k`.padEnd(14), rate);
    }
  });
}

const wants = (name: string) => positionals.length === 0 || positionals.includes(name);
for (const scenario of SCENARIOS) if (wants(scenario.name)) await produce(scenario);
if (wants("read")) await consume();
