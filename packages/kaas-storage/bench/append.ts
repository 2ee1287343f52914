/**
 * What the storage engine does by itself, without sockets and protocol: appends a second and megabytes a second, on
 * this disk, now. Run it as `npx tsx packages/kaas-storage/bench/append.ts [DIRECTORY] [SECONDS]`; figures of one run
 * compare with each other, not with those of another machine or hour.
 */
process.env["UV_THREADPOOL_SIZE"] ??= "16";
const { mkdtempSync, rmSync, openSync, writevSync, fdatasync, closeSync, unlinkSync, writeSync, fsyncSync } =
  await import("node:fs");
const { tmpdir } = await import("node:os");
const { randomUUID } = await import("node:crypto");
const { silentLog } = await import("@kaas/core");
const { batch, buildBatch } = await import("@kaas/core/internal");
const { openVolume } = await import("../src/index.js");
const { defaultLogConfig } = await import("../src/testing/log-config.js");
type PartitionLog = Awaited<ReturnType<Awaited<ReturnType<typeof openVolume>>["logs"]["open"]>>;

const parent = process.argv[2] ?? tmpdir();
const seconds = Number(process.argv[3] ?? 2);
const only = process.argv[4];
const BATCH_BYTES = 16 * 1024;
const IN_FLIGHT = 5;

const clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs: number, callback: () => void) {
    const timer = setTimeout(callback, Math.min(delayMs, 0x7fff_ffff));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
const random = {
  uuid: () => Buffer.from(randomUUID().replaceAll("-", ""), "hex").toString("base64url"),
  integer: (limit: number) => Math.floor(Math.random() * limit),
};

function template(bytes: number): Buffer {
  const records = Array.from({ length: Math.floor(bytes / 1_040) }, () => ({
    value: Buffer.alloc(1_024, 7),
    timestamp: Date.now(),
  }));
  return buildBatch(records.length > 0 ? records : [{ value: Buffer.alloc(bytes - 80, 7), timestamp: Date.now() }]);
}

function frame(source: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(source.length);
  source.copy(copy);
  return copy;
}

interface Measured {
  readonly count: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly latencies: number[];
}

async function measure(work: (until: () => boolean, latencies: number[]) => Promise<number>): Promise<Measured> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const latencies: number[] = [];
  const count = await work(() => performance.now() - start > seconds * 1_000, latencies);
  const elapsed = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { count, seconds: elapsed, cpuSeconds: (user + system) / 1e6, latencies };
}

function report(name: string, { count, seconds: elapsed, cpuSeconds, latencies }: Measured, bytes: number): void {
  latencies.sort((a, b) => a - b);
  const at = (part: number) => (latencies[Math.floor((latencies.length - 1) * part)] ?? 0).toFixed(2);
  const cells = [
    name.padEnd(44),
    `${Math.round(count / elapsed)}/s`.padStart(10),
    `${Math.round((count * bytes) / elapsed / 1e6)} MB/s`.padStart(10),
    `${((cpuSeconds / count) * 1e6).toFixed(1)} µs CPU`.padStart(13),
  ];
  if (latencies.length > 0) cells.push(`p50 ${at(0.5)} ms`, `p99 ${at(0.99)} ms`);
  console.log(cells.join("  "));
}

/** Keeps so many appends on their way to each log. */
async function produce(
  logs: readonly PartitionLog[],
  acks: -1 | 1,
  source: Buffer,
  inFlight: number,
): Promise<Measured> {
  return measure(async (until, latencies) => {
    let count = 0;
    const stream = async (log: PartitionLog) => {
      while (!until()) {
        const sent = performance.now();
        const result = await log.append(frame(source), acks);
        if (result.errorCode !== 0) throw new Error(`append failed: ${result.errorCode} ${result.errorMessage}`);
        latencies.push(performance.now() - sent);
        count++;
      }
    };
    await Promise.all(logs.flatMap((log) => Array.from({ length: inFlight }, () => stream(log))));
    return count;
  });
}

/** The disk by itself: so many buffers a write, one fdatasync each, on a file that has its blocks already. */
async function raw(inFlight: number, cycles: number): Promise<Measured> {
  const path = `${parent}/kaas-bench-${process.pid}`;
  const file = openSync(path, "wx+");
  const size = 512 * 1024 * 1024;
  for (let at = 0; at < size; at += 4 << 20) writeSync(file, Buffer.alloc(4 << 20), 0, 4 << 20, at);
  fsyncSync(file);
  const data = Buffer.alloc(BATCH_BYTES, 7);
  const result = await measure(async (until, latencies) => {
    let count = 0;
    let position = 0;
    let waiting = inFlight;
    let running = 0;
    await new Promise<void>((resolve, reject) => {
      const pump = (): void => {
        while (waiting > 0 && running < cycles) {
          const group = waiting;
          waiting = 0;
          running++;
          const sent = performance.now();
          writevSync(
            file,
            Array.from({ length: group }, () => data),
            position,
          );
          position = (position + group * BATCH_BYTES) % (size - 64 * BATCH_BYTES);
          fdatasync(file, (error) => {
            if (error) return reject(error);
            latencies.push(performance.now() - sent);
            running--;
            count += group;
            if (until()) {
              if (running === 0) resolve();
              return;
            }
            waiting += group;
            pump();
          });
        }
      };
      pump();
    });
    return count;
  });
  closeSync(file);
  unlinkSync(path);
  return result;
}

async function withLogs(
  count: number,
  flushMessages: number,
  work: (logs: PartitionLog[]) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(`${parent}/kaas-bench-`);
  const volume = await openVolume({
    directory,
    clock,
    random,
    log: { ...silentLog, warn: console.warn, error: console.error },
  });
  try {
    const topic = await volume.topics.create("bench", count, {});
    const config = { ...defaultLogConfig, flushMessages };
    const id = (partition: number) => ({ topic: "bench", topicId: topic.id, partition });
    await work(
      await Promise.all(Array.from({ length: count }, (_, partition) => volume.logs.open(id(partition), config))),
    );
  } finally {
    await volume.close();
    rmSync(directory, { recursive: true });
  }
}

async function readAll(log: PartitionLog, from: number, maxBytes: number): Promise<number> {
  let bytes = 0;
  for (let offset = from; offset < log.highWatermark; ) {
    const pending = log.read(offset, { maxBytes, minOneBatch: true, isolation: "read_uncommitted" });
    const result = pending instanceof Promise ? await pending : pending;
    if (result.records.length === 0) throw new Error(`nothing at offset ${offset}`);
    bytes += result.sizeBytes;
    const last = result.records.at(-1) as Buffer;
    let at = 0;
    while (at + batch.batchSize(last, at) < last.length) at += batch.batchSize(last, at);
    offset = batch.lastOffset(last, at) + 1;
  }
  return bytes;
}

const scenarios: Record<string, () => Promise<void>> = {
  async raw() {
    report(`disk alone, ${IN_FLIGHT} in flight, 1 fsync at once`, await raw(IN_FLIGHT, 1), BATCH_BYTES);
    report(`disk alone, ${IN_FLIGHT} in flight, 2 fsyncs at once`, await raw(IN_FLIGHT, 2), BATCH_BYTES);
  },
  fsync1: () =>
    withLogs(1, 1, async (logs) =>
      report("fsync, 1 partition, 16 KiB", await produce(logs, -1, template(BATCH_BYTES), IN_FLIGHT), BATCH_BYTES),
    ),
  fsync1small: () =>
    withLogs(1, 1, async (logs) =>
      report("fsync, 1 partition, 200 B", await produce(logs, -1, template(200), IN_FLIGHT), 200),
    ),
  fsync1wide: () =>
    withLogs(1, 1, async (logs) =>
      report(
        "fsync, 1 partition, 16 KiB, 64 in flight",
        await produce(logs, -1, template(BATCH_BYTES), 64),
        BATCH_BYTES,
      ),
    ),
  fsync16: () =>
    withLogs(16, 1, async (logs) =>
      report("fsync, 16 partitions, 16 KiB", await produce(logs, -1, template(BATCH_BYTES), IN_FLIGHT), BATCH_BYTES),
    ),
  fsync64: () =>
    withLogs(64, 1, async (logs) =>
      report("fsync, 64 partitions, 16 KiB", await produce(logs, -1, template(BATCH_BYTES), IN_FLIGHT), BATCH_BYTES),
    ),
  plain1: () =>
    withLogs(1, 0, async (logs) =>
      report("no fsync, 1 partition, 16 KiB", await produce(logs, -1, template(BATCH_BYTES), IN_FLIGHT), BATCH_BYTES),
    ),
  plain16: () =>
    withLogs(16, 0, async (logs) =>
      report("no fsync, 16 partitions, 16 KiB", await produce(logs, -1, template(BATCH_BYTES), IN_FLIGHT), BATCH_BYTES),
    ),
  read: () =>
    withLogs(1, 0, async ([log]) => {
      if (log === undefined) return;
      const source = template(BATCH_BYTES);
      for (let n = 0; n < 20_000; n++) await log.append(frame(source), 1);
      for (const maxBytes of [1 << 20, 1 << 16]) {
        const cpu = process.cpuUsage();
        const start = performance.now();
        const bytes = await readAll(log, 0, maxBytes);
        const elapsed = (performance.now() - start) / 1_000;
        const { user, system } = process.cpuUsage(cpu);
        const perCpu = bytes / (user + system);
        console.log(
          `read ${maxBytes >> 10} KiB at a time: ${Math.round(bytes / elapsed / 1e6)} MB/s, ${Math.round(perCpu)} MB per CPU second`,
        );
      }
    }),
};

for (const [name, run] of Object.entries(scenarios)) {
  if (only === undefined || only.split(",").includes(name)) await run();
}
