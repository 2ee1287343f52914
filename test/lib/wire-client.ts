// A Kafka client that says exactly what it is told: one connection, requests pipelined, answers decoded strictly.
import { codecOf, RawClient } from "../../packages/kaas-core/test/fakes/raw-client.js";
import { Reader } from "../../packages/kaas-core/src/wire/reader.js";

/** The connection ended before the answer came. */
export class ConnectionLost extends Error {}

/** Where an answer came: the connection's own port, and how many bytes had come with the answer's last. */
export type AnswerPlace = { readonly port: number; readonly endByte: number };

const places = new WeakMap<object, AnswerPlace>();

/** Where a decoded answer came. */
export function placeOf(response: object): AnswerPlace {
  const place = places.get(response);
  if (place === undefined) throw new Error("that is no answer");
  return place;
}

type Waiting = {
  readonly apiKey: number;
  readonly version: number;
  readonly resolve: (response: never) => void;
  readonly reject: (error: Error) => void;
};

export class WireClient {
  readonly #raw: RawClient;
  readonly #waiting: Waiting[] = [];
  #correlationId = 0;

  private constructor(raw: RawClient) {
    this.#raw = raw;
    void this.#receive();
  }

  /** `localAddress` is where the connection comes from. */
  static async connect(port: number, localAddress?: string, host = "127.0.0.1"): Promise<WireClient> {
    return new WireClient(await RawClient.connect(port, host, localAddress));
  }

  /** Keeps trying until the broker listens. */
  static async connectWhenUp(port: number, seconds = 120): Promise<WireClient> {
    for (const end = performance.now() + seconds * 1000; ; ) {
      try {
        return await WireClient.connect(port);
      } catch (error) {
        if (performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  get inFlight(): number {
    return this.#waiting.length;
  }

  get isClosed(): boolean {
    return this.#raw.isClosed;
  }

  /** Sends now; resolves with the decoded answer, or rejects with {@link ConnectionLost}. */
  call<Response>(apiKey: number, version: number, message: unknown): Promise<Response> {
    const answer = new Promise<Response>((resolve, reject) => {
      if (this.#raw.isClosed) {
        reject(new ConnectionLost("the connection is closed"));
        return;
      }
      this.#waiting.push({ apiKey, version, resolve, reject });
      this.#raw.request(apiKey, version, this.#correlationId++, message);
    });
    // Whoever sends several requests at once awaits one after the other; the connection may end in between.
    answer.catch(() => undefined);
    return answer;
  }

  close(): void {
    this.#raw.close();
  }

  async #receive(): Promise<void> {
    const port = this.#raw.socket.localPort ?? 0;
    let answered = 0;
    let endByte = 0;
    for (;;) {
      const frame = await this.#raw.frame();
      endByte += 4 + (frame?.length ?? 0);
      const waiting = this.#waiting.shift();
      if (frame === undefined || waiting === undefined) {
        for (const one of [waiting, ...this.#waiting.splice(0)])
          one?.reject(new ConnectionLost("the connection ended"));
        return;
      }
      try {
        const response = decode(frame, waiting, answered++);
        places.set(response, { port, endByte });
        waiting.resolve(response as never);
      } catch (error) {
        waiting.reject(error as Error);
      }
    }
  }
}

function decode(frame: Buffer, { apiKey, version }: Waiting, expected: number): object {
  const codec = codecOf(apiKey);
  const reader = new Reader(frame);
  const correlationId = reader.int32();
  if (correlationId !== expected) throw new Error(`answer ${correlationId} came where ${expected} was due`);
  if (version >= codec.flexibleSince && codec.name !== "ApiVersions") reader.skipTags();
  const response = codec.readResponse(reader, version) as object;
  reader.expectEnd();
  return response;
}
