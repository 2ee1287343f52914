import { assert } from "../../src/errors/kaas-error.js";
import * as generated from "../../src/messages/generated/index.js";
import { Reader } from "../../src/wire/reader.js";
import { Writer } from "../../src/wire/writer.js";

type Read = (reader: Reader, version: number) => unknown;
type Write = (writer: Writer, message: unknown, version: number) => void;

/** The generated codec of a message, by Kafka's name for it. */
export interface MessageCodec {
  /** Reads one message that takes all of the bytes. */
  decode(bytes: Buffer, version: number): unknown;
  encode(message: unknown, version: number): Buffer;
}

export function codecOf(name: string): MessageCodec {
  const functions = generated as unknown as Record<string, unknown>;
  const [read, write] = [functions[`read${name}`], functions[`write${name}`]];
  assert(typeof read === "function" && typeof write === "function", `there is a codec of ${name}`);
  return {
    decode(bytes, version) {
      const reader = new Reader(bytes);
      const message = (read as Read)(reader, version);
      reader.expectEnd();
      return message;
    },
    encode(message, version) {
      const writer = new Writer();
      (write as Write)(writer, message, version);
      return Buffer.concat(writer.finish());
    },
  };
}
