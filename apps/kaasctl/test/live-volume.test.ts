import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Kafka, logLevel, type Producer } from "kafkajs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "./disk-volume.js";
import { runKaasctl } from "./spawn-kaasctl.js";

const broker = fileURLToPath(new URL("../../broker/dist/main.cjs", import.meta.url));

let folder: ReturnType<typeof temporaryDirectory>;
let running: ChildProcess | undefined;

beforeEach(() => {
  folder = temporaryDirectory();
});

afterEach(async () => {
  if (running?.exitCode === null && running.signalCode === null) await kill(running, "SIGKILL");
  running = undefined;
  folder.remove();
});

/** Starts a broker on the directory, and resolves with its address. */
async function startBroker(directory: string): Promise<string> {
  const args = [broker, "--data-dir", directory, "--listeners", "PLAINTEXT://127.0.0.1:0"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  running = child;
  let output = "";
  return new Promise((resolve, reject) => {
    child.on("exit", () => reject(new Error(`the broker ended: ${output}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const address = /listens on PLAINTEXT:\/\/([\d.:]+)/.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
}

function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}

interface Load {
  /** Resolves when so many batches were acknowledged since the start. */
  reached(batches: number): Promise<void>;
  stop(): Promise<void>;
}

/** Keeps a broker busy: several partitions, segments that are rolled all the time, offsets that are committed. */
async function produce(address: string): Promise<Load> {
  const kafka = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING, retry: { retries: 0 } });
  const admin = kafka.admin();
  await admin.connect();
  const configEntries = [{ name: "segment.bytes", value: "1048576" }];
  await admin.createTopics({ topics: [{ topic: "busy", numPartitions: 4, configEntries }] });
  const producer: Producer = kafka.producer({ idempotent: true, retry: { retries: 1, initialRetryTime: 50 } });
  await producer.connect();
  const consumer = kafka.consumer({ groupId: "readers", retry: { retries: 0 } });
  await consumer.connect();
  await consumer.subscribe({ topic: "busy", fromBeginning: true });
  await consumer.run({ autoCommitInterval: 50, eachMessage: async () => undefined });
  let batches = 0;
  let isStopped = false;
  let onBatch: () => void = () => undefined;
  const running = (async () => {
    for (; !isStopped; batches++) {
      const messages = Array.from({ length: 40 }, (_, n) => ({ key: `${n}`, value: "x".repeat(1_000) }));
      await producer.send({ topic: "busy", messages });
      onBatch();
    }
  })().catch(() => undefined); // the broker may be killed under it
  return {
    async reached(count) {
      while (batches < count) await new Promise<void>((resolve) => (onBatch = resolve));
    },
    async stop() {
      isStopped = true;
      await running;
      await consumer.disconnect().catch(() => undefined);
      await producer.disconnect().catch(() => undefined);
      await admin.disconnect().catch(() => undefined);
    },
  };
}

test("doctor is content with a volume that has just been made", async () => {
  const volume = join(folder.path, "volume");
  await startBroker(volume);
  const { stdout, code } = await runKaasctl(["doctor", "--data-dir", volume]);
  expect([stdout, code]).toEqual([`${volume}: sound; 0 partitions, 0 batches, 0 B\n`, 0]);
});

test("a broker can be asked while it runs, and is said to be gone once it is", async () => {
  const address = await startBroker(join(folder.path, "volume"));
  const asked = await runKaasctl(["assignment", "show", "--bootstrap-server", address]);
  expect([asked.stderr, asked.code]).toEqual(["", 0]);
  expect(asked.stdout).toMatch(/topics +0, 0 partitions\nwithout a leader +0\n\nBROKER +STATE +PARTITIONS\n/);
  await kill(running as ChildProcess, "SIGKILL");
  const refused = await runKaasctl(["topic", "ls", "--bootstrap-server", address]);
  expect([refused.stdout, refused.code]).toEqual(["", 1]);
  expect(refused.stderr).toBe(`kaasctl: cannot reach ${address}: connection refused; does a broker listen there?\n`);
}, 120_000);

test("doctor is content with a volume on which a broker is at work, again and again", async () => {
  const volume = join(folder.path, "volume");
  const load = await produce(await startBroker(volume));
  for (let round = 1; round <= 5; round++) {
    await load.reached(round * 40);
    const { stdout, code } = await runKaasctl(["doctor", "--data-dir", volume]);
    expect([stdout, code]).toEqual([expect.stringMatching(/^\S+volume: sound; 4 partitions, \d+ batches/), 0]);
    const dump = await runKaasctl(["log", "dump", "busy", "0", "--data-dir", volume]);
    expect([dump.code, dump.stderr]).toEqual([0, ""]);
    expect((await runKaasctl(["slots", "--data-dir", volume])).code).toBe(0);
  }
  await load.stop();
}, 300_000);

test("doctor calls a volume sound whose broker was killed, and so does the next broker", async () => {
  const volume = join(folder.path, "volume");
  const load = await produce(await startBroker(volume));
  await load.reached(100);
  await kill(running as ChildProcess, "SIGKILL");
  await load.stop();
  const { stdout, code } = await runKaasctl(["doctor", "--data-dir", volume]);
  expect([stdout, code]).toEqual([expect.stringMatching(/volume: sound.*4 partitions/), 0]);
  expect((await runKaasctl(["repair", "--apply", "--data-dir", volume])).code).toBe(0);
  await startBroker(volume);
  expect((await runKaasctl(["doctor", "--data-dir", volume])).code).toBe(0);
}, 300_000);
