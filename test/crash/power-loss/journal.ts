// What the recorder has written down: the events of a broker's lives, in order.
import { readFileSync } from "node:fs";

/** As in recorder.c. */
const KINDS = [
  "",
  "process",
  "open",
  "close",
  "write",
  "truncate",
  "rename",
  "link",
  "unlink",
  "mkdir",
  "rmdir",
  "sync",
  "syncdir",
  "send",
  "unsupported",
] as const;
const HEADER_BYTES = 56;

export type EventKind = Exclude<(typeof KINDS)[number], "">;

export type JournalEvent = {
  /** Its place among all events, from 0. */
  readonly index: number;
  /** Where it ends in the file: a client that saw the file this long asked for nothing that is later. */
  readonly endByte: number;
  readonly kind: EventKind;
  readonly isBegin: boolean;
  /** Joins a begin and its end; counted anew by each process. */
  readonly call: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly path: string;
  /** The second path, or the data. */
  readonly data: Buffer;
};

export class Journal {
  readonly #content: Buffer;
  readonly count: number;

  private constructor(content: Buffer, count: number) {
    this.#content = content;
    this.count = count;
  }

  /** Reads a journal. Throws where the broker did something that the recorder does not understand. */
  static read(path: string): Journal {
    const content = readFileSync(path);
    let count = 0;
    for (let at = 0; at < content.length; at += content.readUInt32LE(at)) {
      const kind = KINDS[content.readUInt8(at + 4)];
      if (kind === "unsupported") {
        const name = content.toString("utf8", at + HEADER_BYTES, at + content.readUInt32LE(at));
        throw new Error(`the broker changes files by a call that the recorder does not follow: ${name}`);
      }
      count++;
    }
    return new Journal(content, count);
  }

  *events(): Generator<JournalEvent> {
    const content = this.#content;
    let index = 0;
    for (let at = 0; at < content.length; ) {
      const pathEnd = at + HEADER_BYTES + content.readUInt32LE(at + 48);
      const endByte = at + content.readUInt32LE(at);
      yield {
        index: index++,
        endByte,
        kind: KINDS[content.readUInt8(at + 4)] as EventKind,
        isBegin: content.readUInt8(at + 5) === 1,
        call: Number(content.readBigUInt64LE(at + 16)),
        a: Number(content.readBigInt64LE(at + 24)),
        b: Number(content.readBigInt64LE(at + 32)),
        c: Number(content.readBigInt64LE(at + 40)),
        path: content.toString("utf8", at + HEADER_BYTES, pathEnd),
        data: content.subarray(pathEnd, endByte),
      };
      at = endByte;
    }
  }
}
