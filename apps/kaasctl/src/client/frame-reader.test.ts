import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { FrameReader } from "./frame-reader.js";

function framed(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

const bodies = fc.array(fc.uint8Array({ minLength: 4, maxLength: 40 }), { maxLength: 6 });

test.prop([bodies, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 })])(
  "answers are cut as they were sent, however they arrive",
  (sent, sizes) => {
    const bytes = Buffer.concat(sent.map((body) => framed(Buffer.from(body))));
    const reader = new FrameReader();
    const frames: Buffer[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const end = at + (sizes[turn % sizes.length] ?? 1);
      frames.push(...reader.push(bytes.subarray(at, end)));
      at = end;
    }
    expect(frames.map((frame) => [...frame])).toEqual(sent.map((body) => [...body]));
  },
);

test.each<[string, Buffer, RegExp]>([
  ["an alert of TLS", Buffer.from([21, 3, 3, 0, 2, 2, 70]), /it speaks TLS: give --command-config/],
  ["HTTP", Buffer.from("HTTP/1.1 400 Bad Request\r\n"), /it speaks HTTP/],
  ["a negative length", Buffer.from([255, 255, 255, 255]), /is not Kafka's protocol/],
  ["a length without room for an answer", Buffer.from([0, 0, 0, 3]), /is not Kafka's protocol/],
  ["a length beyond all bounds", Buffer.from([127, 0, 0, 0]), /is not Kafka's protocol/],
])("%s is no answer", (_, bytes, message) => {
  expect(() => new FrameReader().push(bytes)).toThrow(message);
});
