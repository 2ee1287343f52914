import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { Output } from "./output.js";

/** Takes what is written; `writableLength` is what an earlier write has left unsent. */
class FakeSocket {
  writableLength: number;
  readonly written: Buffer[] = [];
  corked = 0;

  constructor(writableLength = 0) {
    this.writableLength = writableLength;
  }

  cork(): void {
    this.corked++;
  }

  uncork(): void {
    this.corked--;
  }

  readonly #callbacks: (() => void)[] = [];

  write(piece: Buffer, sent: () => void = () => {}): void {
    this.written.push(piece);
    this.#callbacks.push(sent);
  }

  /** All that was written is taken. */
  take(): void {
    for (const sent of this.#callbacks.splice(0)) sent();
  }
}

function flush(pieces: readonly Buffer[], socket: FakeSocket): number {
  const output = new Output();
  output.add(pieces, undefined);
  return output.flush(socket as unknown as Socket);
}

const slab = Buffer.from("onetwothree");

test("pieces that lie next to each other are sent as one, in place", () => {
  const socket = new FakeSocket();
  expect(flush([slab.subarray(0, 3), slab.subarray(3, 6), slab.subarray(6)], socket)).toBe(11);
  expect(socket.written).toEqual([slab]);
  expect(socket.written[0]?.buffer).toBe(slab.buffer);
});

test("other pieces are sent together, in order and uncopied", () => {
  const socket = new FakeSocket();
  const records = Buffer.alloc(100_000);
  flush([slab.subarray(0, 3), records, slab.subarray(3, 6), slab.subarray(7)], socket);
  expect(socket.written.map(({ length }) => length)).toEqual([3, 100_000, 3, 4]);
  expect(socket.written[1]).toBe(records);
  expect(socket.corked).toBe(0);
});

test("a slow client holds on to copies of small pieces only", () => {
  const socket = new FakeSocket(1);
  const records = Buffer.alloc(100_000);
  flush([slab.subarray(0, 3), records], socket);
  expect(socket.written[0]?.buffer.byteLength).toBe(3);
  expect(socket.written[1]).toBe(records);
});

test("what was flushed is not sent again", () => {
  const output = new Output();
  const socket = new FakeSocket();
  output.add([slab], undefined);
  output.flush(socket as unknown as Socket);
  expect(output.flush(socket as unknown as Socket)).toBe(0);
  expect(output.size).toBe(0);
  expect(socket.written).toHaveLength(1);
});

/** A lease that counts how often it was released. */
function lease(): { released: number; release(): void } {
  return {
    released: 0,
    release() {
      this.released++;
    },
  };
}

test("what was lent goes back when the socket has taken the bytes, not before", () => {
  const output = new Output();
  const socket = new FakeSocket();
  const leases = [lease(), lease(), lease()];
  output.add([Buffer.alloc(20_000)], leases[0]);
  output.add([slab.subarray(0, 3), Buffer.alloc(20_000)], leases[1]);
  output.add([slab.subarray(3)], undefined);
  output.flush(socket as unknown as Socket);
  output.add([Buffer.alloc(20_000)], leases[2]);
  expect(leases.map(({ released }) => released)).toEqual([0, 0, 0]);
  socket.take();
  expect(leases.map(({ released }) => released)).toEqual([1, 1, 0]);
  output.flush(socket as unknown as Socket);
  socket.take();
  expect(leases.map(({ released }) => released)).toEqual([1, 1, 1]);
});

test("what was lent for answers that are thrown away goes back", () => {
  const output = new Output();
  const lent = lease();
  output.add([slab], lent);
  output.discard();
  output.discard();
  expect([lent.released, output.size]).toEqual([1, 0]);
});
