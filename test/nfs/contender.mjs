/**
 * contender.mjs VOLUME: one of several processes that want to lead the same partition of a shared volume. Runs in a
 * guest, where it is all there is; told what to do by lines of JSON over TCP. What it was acknowledged it writes to a file
 * of the host, which no network and no volume can keep from it.
 *
 *   {"open": NAME}     a new incarnation of broker NAME: leads the partition, and says at which epoch and offset
 *   {"produce": true}  appends records, four at a time, until told otherwise or refused
 *   {"stop": true}     no further records; says how many were acknowledged
 *   {"read": true}     says what the partition holds, and where it starts
 *   {"close": true}    hands over, and says so
 */
import { appendFileSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { buildBatch, ErrorCode, logConfigOf, recordsOf, silentLog } from "@kaas/core";
import { openVolume } from "@kaas/storage";

const PORT = 7000;
const IN_FLIGHT = 4;
const RETRY_MS = 100;
const directory = process.argv[2] ?? "";

/** @type {import("@kaas/storage").Volume | undefined} */
let volume;
/** @type {import("@kaas/core").PartitionLog | undefined} */
let log;
let name = "";
let fenced = "";
let isProducing = false;
/** @type {Promise<void>[]} */
let producing = [];
let acknowledged = 0;
let sent = 0;

/** @param {string} broker */
async function open(broker) {
  name = broker;
  fenced = "";
  // The other is cut off or dead, as everybody knows: its hand-over is not waited for.
  const opened = await openVolume({
    directory,
    brokerName: name,
    sharing: "shared",
    isAlive: () => false,
    log: silentLog,
  });
  volume = opened;
  void opened.fenced.then((error) => {
    fenced = error.code;
  });
  const known = [...opened.topics.topics()].find((topic) => topic.name === "contended");
  const topic = known ?? (await opened.topics.create("contended", 1, {}));
  log = await opened.logs.open({ topic: topic.name, topicId: topic.id, partition: 0 }, logConfigOf());
  return { epoch: log.leaderEpoch, offset: log.logEndOffset };
}

/** Appends one record after the other until something is refused. */
async function produce() {
  while (isProducing && log !== undefined) {
    const value = `${name}-${sent++}`;
    const { errorCode, baseOffset } = await log.append(buildBatch([{ value: Buffer.from(value) }]), -1);
    if (errorCode === ErrorCode.REQUEST_TIMED_OUT) {
      // The volume hangs, and refuses at once: whether the record is there is not known. Clients wait before the next.
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      continue;
    }
    if (errorCode !== ErrorCode.NONE) return;
    acknowledged++;
    appendFileSync(`/media/${name}.acknowledged`, `${baseOffset} ${value}\n`);
  }
}

async function read() {
  if (log === undefined) throw new Error("nothing is open");
  /** @type {[number, string][]} */
  const records = [];
  let offset = log.logStartOffset;
  while (offset < log.highWatermark) {
    const found = await log.read(offset, { maxBytes: 1_000_000, minOneBatch: true, isolation: "read_uncommitted" });
    for await (const record of recordsOf(found.records)) {
      records.push([record.offset, record.value?.toString() ?? ""]);
      offset = record.offset + 1;
    }
    found.lease?.release();
  }
  return { start: log.logStartOffset, end: log.highWatermark, records };
}

/** @type {Record<string, (argument: any) => unknown>} */
const commands = {
  open,
  produce() {
    isProducing = true;
    producing = Array.from({ length: IN_FLIGHT }, produce);
    return {};
  },
  async stop() {
    isProducing = false;
    await Promise.all(producing);
    return { acknowledged, fenced };
  },
  state: () => ({ acknowledged, sent, fenced }),
  read,
  async close() {
    await volume?.close();
    volume = log = undefined;
    return {};
  },
};

/** @param {string} line */
async function answer(line) {
  const [given] = Object.entries(JSON.parse(line));
  if (given === undefined) return { error: "a command is missing" };
  try {
    return await commands[given[0]]?.(given[1]);
  } catch (error) {
    return { error: String(error) };
  }
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  createInterface({ input: socket }).on("line", (line) => {
    void answer(line).then((told) => socket.write(`${JSON.stringify(told)}\n`));
  });
});
server.listen(PORT, "0.0.0.0", () => console.log("contender: listens"));
