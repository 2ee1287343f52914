import { connect, type Socket } from "node:net";
import { requestFrame } from "../../packages/kaas-core/test/fakes/raw-client.js";
import type { FuzzFrames } from "./fuzz-frames.js";
import type { Outlook } from "./outlook.js";
import type { Prng } from "./prng.js";

/** One frame in each batch, the last, may end the connection: what followed it would be sent for nothing. */
const FRAMES_PER_BATCH = 10;
/** One address has too few ports for as many connections as a run needs; all of 127/8 is this machine's. */
const SOURCE_ADDRESSES = 64;
const RETRY_MS = 50;
/** A request may well wait for longer than the fuzzer has time: a member for its group, a fetch for its bytes. */
const PATIENCE_MS = 1000;

/** What became of the frames. */
export interface FuzzCounts {
  /** Frames that the broker is known to have dealt with. */
  handled: number;
  answers: number;
  connections: number;
  /** Connections that the broker closed for what it was sent. */
  closed: number;
  /** Connections given up because a request waited. */
  abandoned: number;
  refused: number;
}

/**
 * Sends batches of frames over connections, one after the other, until there are enough. Each batch ends with an
 * ApiVersions request: since answers come in order, its answer says that all before it were dealt with. When the
 * broker closes the connection instead, the last answer says how far it had come.
 */
export class FuzzConnection {
  readonly #port: number;
  readonly #frames: FuzzFrames;
  readonly #outlook: Outlook;
  readonly #prng: Prng;
  readonly #counts: FuzzCounts;

  constructor(port: number, frames: FuzzFrames, outlook: Outlook, prng: Prng, counts: FuzzCounts) {
    this.#port = port;
    this.#frames = frames;
    this.#outlook = outlook;
    this.#prng = prng;
    this.#counts = counts;
  }

  /** Goes on until all connections together have had `target` frames handled, or `isOver` says so. */
  async run(target: number, isOver: () => boolean): Promise<void> {
    while (this.#counts.handled < target && !isOver()) {
      const socket = await this.#connect();
      if (socket === undefined) {
        this.#counts.refused++;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        continue;
      }
      this.#counts.connections++;
      while (this.#counts.handled < target && !isOver() && (await this.#batch(socket)));
      socket.destroy();
    }
  }

  #connect(): Promise<Socket | undefined> {
    const localAddress = `127.0.8.${1 + this.#prng.integer(SOURCE_ADDRESSES)}`;
    return new Promise((resolve) => {
      const socket = connect({ port: this.#port, host: "127.0.0.1", localAddress, noDelay: true });
      socket.once("connect", () => resolve(socket));
      socket.once("error", () => resolve(undefined));
    });
  }

  /** One batch; false when the connection is of no more use. */
  #batch(socket: Socket): Promise<boolean> {
    const frames = this.#makeBatch();
    const answers = new AnswerCounter(FRAMES_PER_BATCH);
    return new Promise((resolve) => {
      const done = (goOn: boolean, handled: number): void => {
        clearTimeout(timer);
        socket.removeAllListeners();
        socket.on("error", () => {}); // it is left alone from here on
        this.#counts.handled += handled;
        this.#counts.answers += answers.count;
        resolve(goOn);
      };
      let timer = setTimeout(() => undefined, 0);
      const arm = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          this.#counts.abandoned++;
          done(false, answers.last + 1);
        }, PATIENCE_MS);
      };
      socket.on("data", (chunk: Buffer) => {
        answers.push(chunk);
        if (answers.last === FRAMES_PER_BATCH) done(true, FRAMES_PER_BATCH);
        else arm();
      });
      socket.on("error", () => {}); // followed by close
      socket.on("close", () => {
        this.#counts.closed++;
        // The frame after the last that was answered is the one that was not to be answered.
        done(false, Math.min(FRAMES_PER_BATCH, answers.last + 2));
      });
      arm();
      this.#write(socket, Buffer.concat(frames));
    });
  }

  #makeBatch(): Buffer[] {
    const batch: Buffer[] = [];
    let last: Buffer | undefined;
    while (batch.length + 1 < FRAMES_PER_BATCH) {
      const frame = this.#frames.next(batch.length);
      if (this.#outlook.endsConnection(frame)) last = frame;
      else batch.push(frame);
    }
    const id = batch.length;
    if (last !== undefined && last.length >= 12) last.writeInt32BE(id, 8);
    batch.push(last ?? this.#frames.next(id), requestFrame(18, 0, FRAMES_PER_BATCH, {}));
    return batch;
  }

  /** In one piece or, now and then, in two with a pause between them. */
  #write(socket: Socket, bytes: Buffer): void {
    const cut = this.#prng.oneIn(8) ? this.#prng.integer(bytes.length) : bytes.length;
    socket.write(bytes.subarray(0, cut));
    if (cut < bytes.length) setImmediate(() => socket.write(bytes.subarray(cut)));
  }
}

/** Follows the correlation ids of answers through chunks, whose contents are of no interest. */
class AnswerCounter {
  /** Highest id that was answered; ids beyond the sentinel's are a mutation's. */
  last = -1;
  count = 0;
  readonly #idMax: number;
  readonly #header = Buffer.alloc(8);
  #headerBytes = 0;
  #skip = 0;

  constructor(idMax: number) {
    this.#idMax = idMax;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at);
        this.#skip -= skipped;
        at += skipped;
        continue;
      }
      const copied = chunk.copy(this.#header, this.#headerBytes, at, at + 8 - this.#headerBytes);
      this.#headerBytes += copied;
      at += copied;
      if (this.#headerBytes < 8) return;
      this.#headerBytes = 0;
      this.#skip = this.#header.readInt32BE(0) - 4;
      this.#answered(this.#header.readInt32BE(4));
    }
  }

  #answered(id: number): void {
    this.count++;
    if (id > this.last && id <= this.#idMax) this.last = id;
  }
}
