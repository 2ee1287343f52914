import { RawClient, requestFrame } from "../../packages/kaas-core/test/fakes/raw-client.js";

const ANNOUNCED_BYTES = 104_857_600;
const METADATA = 3;

/**
 * Clients that each hold a connection and do something that costs a careless broker memory, for as long as the rest
 * runs.
 */
export class BadClients {
  readonly #port: number;
  readonly #clients: RawClient[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  async start(): Promise<void> {
    for (let count = 0; count < 50; count++) await this.#announce(1);
    for (let count = 0; count < 8; count++) await this.#announce(4 * 1024 * 1024);
    for (let count = 0; count < 8; count++) await this.#doNotRead();
  }

  /** How many were closed: none is, since nothing that they do is wrong yet. */
  get closedCount(): number {
    return this.#clients.filter(({ isClosed }) => isClosed).length;
  }

  stop(): void {
    for (const client of this.#clients) client.close();
  }

  async #connect(): Promise<RawClient> {
    const client = await RawClient.connect(this.#port);
    this.#clients.push(client);
    return client;
  }

  /** Announces the largest frame and sends the beginning of it. */
  async #announce(sentBytes: number): Promise<void> {
    const client = await this.#connect();
    const bytes = Buffer.alloc(4 + sentBytes);
    bytes.writeInt32BE(ANNOUNCED_BYTES);
    client.send(bytes);
  }

  /** Asks for much and never reads an answer. */
  async #doNotRead(): Promise<void> {
    const client = await this.#connect();
    client.socket.pause();
    const topics = Array.from({ length: 300 }, (_, index) => ({ name: `unknown-${index}-${"x".repeat(200)}` }));
    const request = requestFrame(METADATA, 9, 1, { topics, allowAutoTopicCreation: false });
    for (let count = 0; count < 300; count++) client.send(request);
  }
}
