import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { ApiCodec } from "../../src/messages/api-codec.js";
import { apiCodecs, writeRequestHeader } from "../../src/messages/generated/index.js";
import { Reader } from "../../src/wire/reader.js";
import { Writer } from "../../src/wire/writer.js";

const writer = new Writer();
const codecs = new Map(apiCodecs.map((codec) => [codec.key, codec]));

export function codecOf(apiKey: number): ApiCodec {
  const codec = codecs.get(apiKey);
  if (codec === undefined) throw new Error(`there is no codec of API key ${apiKey}`);
  return codec;
}

/** A request with its frame length, as it goes over the wire. */
export function requestFrame(apiKey: number, apiVersion: number, correlationId: number, message: unknown): Buffer {
  const codec = codecOf(apiKey);
  writer.abandon(); // what an earlier message that cannot be encoded has left
  writer.int32(0);
  const header = { requestApiKey: apiKey, requestApiVersion: apiVersion, correlationId, clientId: "raw" };
  writeRequestHeader(writer, header, apiVersion >= codec.flexibleSince ? 2 : 1);
  codec.writeRequest(writer, message, apiVersion);
  return Buffer.concat(writer.finishFrame());
}

/** `body` with the length that makes it a frame. */
export function framed(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** A response without its header. */
export interface Answer<Response> {
  readonly correlationId: number;
  readonly response: Response;
}

/** A client that sends bytes as they are given and cuts what comes back into frames. */
export class RawClient {
  readonly socket: Socket;
  /** Response frames that were not taken yet, without their lengths. */
  readonly frames: Buffer[] = [];
  /** How many `data` events brought them. */
  reads = 0;
  isClosed = false;
  #rest: Buffer = Buffer.alloc(0);
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => this.#received(chunk));
    socket.on("error", () => {}); // a reset is a close
    socket.on("close", () => {
      this.isClosed = true;
      this.#wake?.();
    });
  }

  /** `localAddress` is where the connection comes from. */
  static async connect(port: number, host = "127.0.0.1", localAddress?: string): Promise<RawClient> {
    const from = localAddress === undefined ? {} : { localAddress };
    const socket = connect({ port, host, noDelay: true, ...from });
    await once(socket, "connect");
    return new RawClient(socket);
  }

  /** Over a connection that is open, such as one of TLS. */
  static over(socket: Socket): RawClient {
    return new RawClient(socket);
  }

  send(...buffers: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(buffers));
  }

  request(apiKey: number, apiVersion: number, correlationId: number, message: unknown): void {
    this.send(requestFrame(apiKey, apiVersion, correlationId, message));
  }

  /** The next frame, or undefined when the connection closes without one. */
  async frame(): Promise<Buffer | undefined> {
    while (this.frames.length === 0 && !this.isClosed) await this.#change();
    return this.frames.shift();
  }

  /** The next response, decoded to its last byte. */
  async answer<Response>(apiKey: number, apiVersion: number): Promise<Answer<Response>> {
    const frame = await this.frame();
    if (frame === undefined) throw new Error("the connection was closed");
    const codec = codecOf(apiKey);
    const reader = new Reader(frame);
    const correlationId = reader.int32();
    if (apiVersion >= codec.flexibleSince && apiKey !== 18) reader.skipTags();
    const response = codec.readResponse(reader, apiVersion) as Response;
    reader.expectEnd();
    return { correlationId, response };
  }

  /** Resolves when the other side has closed the connection. */
  async closed(): Promise<void> {
    while (!this.isClosed) await this.#change();
  }

  close(): void {
    this.socket.destroy();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #received(chunk: Buffer): void {
    this.reads++;
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 4) {
      const end = 4 + this.#rest.readInt32BE(0);
      if (this.#rest.length < end) break;
      this.frames.push(this.#rest.subarray(4, end));
      this.#rest = this.#rest.subarray(end);
    }
    this.#wake?.();
  }
}
