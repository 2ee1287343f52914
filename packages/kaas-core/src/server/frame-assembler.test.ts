import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { framed } from "../../test/fakes/raw-client.js";
import { FrameAssembler } from "./frame-assembler.js";
import { type Frame, FrameMemory } from "./frame-memory.js";

const FRAME_BYTES_MAX = 1024 * 1024;

const memory = new FrameMemory(true);

/** The frames that come out when `chunks` go in one after the other, through memory that is used again for each. */
function assembleFrames(chunks: readonly Buffer[], assembler = new FrameAssembler(memory)): Frame[] {
  const frames: Frame[] = [];
  for (const chunk of chunks) {
    const borrowed = Buffer.from(chunk);
    assembler.push(borrowed);
    for (;;) {
      const frame = assembler.next(FRAME_BYTES_MAX);
      if (frame === undefined) break;
      frames.push(frame);
    }
    assembler.keepRest();
    borrowed.fill(0xee);
  }
  return frames;
}

function assemble(chunks: readonly Buffer[], assembler?: FrameAssembler): Buffer[] {
  return assembleFrames(chunks, assembler).map(({ bytes }) => bytes);
}

test("frames come out whole wherever their bytes are cut in three", () => {
  const bodies = [Buffer.from("hello"), Buffer.alloc(0), Buffer.from("a longer body of a frame")];
  const stream = Buffer.concat(bodies.map(framed));
  for (let first = 0; first <= stream.length; first++) {
    for (let second = first; second <= stream.length; second++) {
      const chunks = [stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)];
      expect(assemble(chunks)).toEqual(bodies);
    }
  }
});

test("frames come out whole when every byte comes by itself", () => {
  const bodies = [Buffer.from("one"), Buffer.from("two")];
  const stream = Buffer.concat(bodies.map(framed));
  expect(assemble(Array.from(stream, (byte) => Buffer.from([byte])))).toEqual(bodies);
});

property.prop([fc.array(fc.uint8Array({ maxLength: 70_000 }), { maxLength: 5 }), fc.infiniteStream(fc.nat(65_536))])(
  "frames of any size come out whole from chunks of any size",
  (contents, sizes) => {
    const bodies = contents.map((content) => Buffer.from(content));
    const stream = Buffer.concat(bodies.map(framed));
    const chunks: Buffer[] = [];
    for (let at = 0; at < stream.length; ) {
      const size = (sizes.next().value as number) + 1;
      chunks.push(stream.subarray(at, at + size));
      at += size;
    }
    expect(assemble(chunks)).toEqual(bodies);
  },
);

/** A frame of the API with this key, of so many bytes. */
function request(apiKey: number, size: number): Buffer {
  const body = Buffer.alloc(size, 7);
  body.writeInt16BE(apiKey, 0);
  return body;
}

/** The same bytes in pieces of at most so many. */
function pieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

test.each([
  ["whole", 1_000_000],
  ["in pieces", 1000],
])("what Produce brings lies in memory that is lent, every frame held for itself (%s)", (_, pieceBytes) => {
  const frames = new FrameMemory(true);
  const bodies = [100, 3000, 5000, 16_470, 70_000, 200_000].map((size) => request(0, size));
  const stream = Buffer.concat(bodies.map(framed));
  const found = assembleFrames(pieces(stream, pieceBytes), new FrameAssembler(frames));
  expect(found.map(({ bytes }) => bytes)).toEqual(bodies);
  for (const { bytes, memory: lent } of found) {
    const before = Buffer.from(bytes);
    lent?.retain();
    lent?.release();
    expect(bytes.equals(before)).toBe(true);
    lent?.release();
  }
  expect(frames.lentBytes).toBeLessThanOrEqual(256 * 1024); // the slab for the frames to come
});

test("what others bring is theirs for good, since they keep parts of it", () => {
  const [small, large] = assembleFrames([framed(request(11, 100)), ...pieces(framed(request(14, 50_000)), 999)]);
  expect([small?.memory, large?.memory]).toEqual([undefined, undefined]);
  expect(large?.bytes.equals(request(14, 50_000))).toBe(true);
});

test("frames that nobody keeps take the same memory again and again", () => {
  const frames = new FrameMemory();
  const assembler = new FrameAssembler(frames);
  const stream = Buffer.concat(Array.from({ length: 5 }, () => framed(request(0, 16_470))));
  const buffers = new Set<unknown>();
  for (let round = 0; round < 200; round++) {
    for (const { bytes, memory: lent } of assembleFrames([stream], assembler)) {
      buffers.add(bytes.buffer);
      lent?.release();
    }
  }
  expect(buffers.size).toBeLessThanOrEqual(2);
});

test("a frame that was begun is let go with its connection", () => {
  const frames = new FrameMemory();
  const assembler = new FrameAssembler(frames);
  assembleFrames([framed(request(0, 100_000)).subarray(0, 50_000)], assembler);
  expect([frames.lentBytes > 0, assembler.heldBytes]).toEqual([true, 49_996]);
  assembler.release();
  expect([frames.lentBytes, assembler.heldBytes]).toEqual([0, 0]);
});

test("a frame that is announced and not sent takes nothing", () => {
  const before = process.memoryUsage().arrayBuffers;
  const announcement = Buffer.alloc(4);
  announcement.writeInt32BE(FRAME_BYTES_MAX);
  const assemblers = Array.from({ length: 1000 }, () => new FrameAssembler(memory));
  for (const assembler of assemblers) assemble([announcement, Buffer.from("x")], assembler);
  expect(assemblers[0]?.heldBytes).toBe(1);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1000 * 32 * 1024);
});

const length = (bytes: string | number): Buffer => {
  if (typeof bytes === "string") return Buffer.from(bytes, "latin1");
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(bytes);
  return buffer;
};

test.each([
  [length(-1), "a frame length of -1"],
  [length(-2_147_483_648), "a frame length of -2147483648"],
  [length(FRAME_BYTES_MAX + 1), "more than socket.request.max.bytes=1048576"],
  [length("GET / HTTP/1.1\r\n"), "an HTTP request"],
  [length("POST / HTTP/1.1\r\n"), "an HTTP request"],
  [length("PRI * HTTP/2.0\r\n"), "an HTTP/2 preface"],
  [length("\x16\x03\x01\x02\x00\x01\x00"), "a TLS handshake"],
  [length("SSH-2.0-OpenSSH"), "an SSH client"],
  [length("PROXY TCP4 "), "a PROXY protocol header"],
  [length("\r\n\r\n\x00\r\nQUIT\n"), "a PROXY protocol header"],
])("the length %j is refused: %s", (bytes, fault) => {
  const assembler = new FrameAssembler(memory);
  expect(assemble([bytes], assembler)).toEqual([]);
  expect(assembler.fault).toContain(fault);
  expect(assemble([framed(Buffer.from("more")), framed(Buffer.from("and more"))], assembler)).toEqual([]);
});

test("only the first bytes of a connection are taken for another protocol", () => {
  const assembler = new FrameAssembler(memory);
  assemble([framed(Buffer.from("kafka")), Buffer.from("GET ")], assembler);
  expect(assembler.fault).toContain("a frame of 1195725856 bytes");
});

test("another protocol is recognised under any limit", () => {
  const assembler = new FrameAssembler(memory);
  assembler.push(Buffer.from("\x16\x03\x01\x02\x00", "latin1"));
  expect(assembler.next(2_147_483_647)).toBeUndefined();
  expect(assembler.fault).toContain("TLS");
});
