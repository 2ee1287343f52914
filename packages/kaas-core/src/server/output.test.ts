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

  write(piece: Buffer): void {
    this.written.push(piece);
  }
}

function flush(pieces: readonly Buffer[], socket: FakeSocket): number {
  const output = new Output();
  output.add(pieces);
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
  output.add([slab]);
  output.flush(socket as unknown as Socket);
  expect(output.flush(socket as unknown as Socket)).toBe(0);
  expect(output.size).toBe(0);
  expect(socket.written).toHaveLength(1);
});
