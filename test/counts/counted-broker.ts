// A broker in this process, between a file system and sockets that count.
import { mkdtempSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BrokerConfig, KafkaBroker, silentLog } from "@kaas/core";
import { openVolume, systemClock, systemRandom } from "@kaas/storage";
import { posixFileSystem } from "../../packages/kaas-storage/src/file-system/posix.js";
import { LoadClient } from "../lib/load-client.js";
import { countingFileSystem, FileCounts } from "./counting-file-system.js";
import { REQUEST_BYTES, runStep, type Step } from "./workload.js";

/** What a request costs on average. */
export type Counts = Readonly<Record<CountName, number>>;
export type CountName = (typeof COUNT_NAMES)[number];

export const COUNT_NAMES = [
  "file writes",
  "fsyncs",
  "file reads",
  "socket writes",
  "buffers made, bytes per byte of records",
  "copied, bytes per byte of records",
] as const;

const WARM_UP = 60;
const REQUESTS = 600;

export type CountedBrokerOptions = {
  /** 0: nothing recent is kept in memory, so that fetches have to read. */
  readonly tailCacheBytes: number;
  /** Whether memory is overwritten once it has been given back. */
  readonly poisons: boolean;
};

export class CountedBroker {
  readonly client: LoadClient;
  readonly port: number;
  readonly #files: FileCounts;
  readonly #memory: MemoryCounts;
  readonly #close: () => Promise<void>;

  private constructor(
    client: LoadClient,
    port: number,
    files: FileCounts,
    memory: MemoryCounts,
    close: () => Promise<void>,
  ) {
    this.client = client;
    this.port = port;
    this.#files = files;
    this.#memory = memory;
    this.#close = close;
  }

  static async start({ tailCacheBytes, poisons }: CountedBrokerOptions): Promise<CountedBroker> {
    const directory = mkdtempSync(join(tmpdir(), "kaas-counts-"));
    const files = new FileCounts();
    const volume = await openVolume({
      directory,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      fileSystem: countingFileSystem(posixFileSystem, files),
      tailCacheBytes,
      poisonsReleasedReads: poisons,
    });
    const broker = new KafkaBroker({
      config: new BrokerConfig({}),
      listeners: [{ name: "PLAINTEXT", host: "127.0.0.1", port: 0 }],
      logs: volume.logs,
      journals: volume.slotJournals,
      files: volume.files,
      catalog: volume.topics,
      admin: volume.topics,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      poisonsReleasedFrames: poisons,
    });
    await broker.start();
    const port = broker.endpoints[0]?.port ?? 0;
    const client = await LoadClient.connect(port);
    const memory = new MemoryCounts(port);
    return new CountedBroker(client, port, files, memory, async () => {
      memory.restore();
      client.close();
      await broker.close();
      await volume.close();
      rmSync(directory, { recursive: true });
    });
  }

  /** A step's costs in the steady state, which a warm-up comes before. */
  async count(step: Step): Promise<Counts> {
    if (step.kind === "produce") await this.client.createTopic(step.topic, step.partitions, { "flush.messages": "1" });
    await runStep(this.client, step, WARM_UP);
    this.#files.clear();
    this.#memory.clear();
    const requests = await runStep(this.client, step, REQUESTS);
    const bytes = REQUESTS * REQUEST_BYTES;
    return {
      "file writes": this.#files.of("writevSync", "writev") / requests,
      fsyncs: this.#files.of("dataSync") / requests,
      "file reads": this.#files.of("readSync", "read") / requests,
      "socket writes": this.#memory.socketWrites / requests,
      "buffers made, bytes per byte of records": this.#memory.madeBytes / bytes,
      "copied, bytes per byte of records": this.#memory.copiedBytes / bytes,
    };
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/**
 * Counts what the broker does with memory and sockets, by standing in for the functions of Node that it uses: the
 * client in the same process uses others, or none while it counts.
 */
class MemoryCounts {
  madeBytes = 0;
  copiedBytes = 0;
  socketWrites = 0;
  readonly #allocate = Buffer.allocUnsafeSlow;
  readonly #copy = Buffer.prototype.copy;
  readonly #uncork = Socket.prototype.uncork;
  readonly #write = Socket.prototype.write;

  constructor(brokerPort: number) {
    const allocate = this.#allocate;
    const copy = this.#copy;
    const uncork = this.#uncork;
    const write = this.#write;
    const made = (bytes: number): void => {
      this.madeBytes += bytes;
    };
    const copiedSome = (bytes: number): void => {
      this.copiedBytes += bytes;
    };
    const wrote = (socket: Socket): void => {
      if (socket.localPort === brokerPort) this.socketWrites++;
    };
    Buffer.allocUnsafeSlow = (size) => {
      made(size);
      return allocate(size);
    };
    Buffer.prototype.copy = function (this: Buffer, ...args: Parameters<Buffer["copy"]>) {
      const copied = copy.apply(this, args);
      copiedSome(copied);
      return copied;
    };
    // What is written between cork and uncork leaves in one call.
    Socket.prototype.write = function (this: Socket, ...args: unknown[]): boolean {
      if (this.writableCorked === 0) wrote(this);
      return Reflect.apply(write, this, args) as boolean;
    };
    Socket.prototype.uncork = function (this: Socket) {
      wrote(this);
      uncork.apply(this);
    };
  }

  clear(): void {
    this.madeBytes = 0;
    this.copiedBytes = 0;
    this.socketWrites = 0;
  }

  restore(): void {
    Buffer.allocUnsafeSlow = this.#allocate;
    Buffer.prototype.copy = this.#copy;
    Socket.prototype.write = this.#write;
    Socket.prototype.uncork = this.#uncork;
  }
}
