import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { framed } from "../../test/fakes/raw-client.js";
import { FrameAssembler } from "./frame-assembler.js";

const FRAME_BYTES_MAX = 1024 * 1024;

/** The frames that come out when `chunks` go in one after the other. */
function assemble(chunks: readonly Buffer[], assembler = new FrameAssembler()): Buffer[] {
  const frames: Buffer[] = [];
  for (const chunk of chunks) {
    assembler.push(chunk);
    for (;;) {
      const frame = assembler.next(FRAME_BYTES_MAX);
      if (frame === undefined) break;
      frames.push(frame);
    }
  }
  return frames;
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

test("a frame that lies in one chunk is not copied", () => {
  const chunk = Buffer.concat([framed(Buffer.from("first")), framed(Buffer.from("second"))]);
  for (const frame of assemble([chunk])) expect(frame.buffer).toBe(chunk.buffer);
});

test("a frame that lies in several chunks has a buffer of its own size", () => {
  const body = Buffer.alloc(200_000, 7);
  const stream = framed(body);
  const chunks = [stream.subarray(0, 65_536), stream.subarray(65_536, 131_072), stream.subarray(131_072)];
  const [frame] = assemble(chunks);
  expect(frame?.equals(body)).toBe(true);
  expect(frame?.buffer.byteLength).toBe(200_000);
});

test("a frame that is announced and not sent takes nothing", () => {
  const before = process.memoryUsage().arrayBuffers;
  const announcement = Buffer.alloc(4);
  announcement.writeInt32BE(FRAME_BYTES_MAX);
  const assemblers = Array.from({ length: 1000 }, () => new FrameAssembler());
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
  const assembler = new FrameAssembler();
  expect(assemble([bytes], assembler)).toEqual([]);
  expect(assembler.fault).toContain(fault);
  expect(assemble([framed(Buffer.from("more")), framed(Buffer.from("and more"))], assembler)).toEqual([]);
});

test("only the first bytes of a connection are taken for another protocol", () => {
  const assembler = new FrameAssembler();
  assemble([framed(Buffer.from("kafka")), Buffer.from("GET ")], assembler);
  expect(assembler.fault).toContain("a frame of 1195725856 bytes");
});

test("another protocol is recognised under any limit", () => {
  const assembler = new FrameAssembler();
  assembler.push(Buffer.from("\x16\x03\x01\x02\x00", "latin1"));
  expect(assembler.next(2_147_483_647)).toBeUndefined();
  expect(assembler.fault).toContain("TLS");
});
