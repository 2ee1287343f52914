import { createServer, connect, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** A way to the API server that can be cut, and that can be made to swallow what is sent. */
export class Link {
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #state: "open" | "refusing" | "swallowing" = "open";
  #joined = 0;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#join(client));
  }

  static async to(port: number): Promise<Link> {
    const link = new Link(port);
    await new Promise<void>((resolve) => void link.#server.listen(0, "127.0.0.1", resolve));
    return link;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many connections have been made so far. */
  get joined(): number {
    return this.#joined;
  }

  /** Resets all connections, and refuses new ones until it is opened again. */
  cut(): void {
    this.#state = "refusing";
    this.reset();
  }

  /** Resets all connections; new ones are let through. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Nothing gets through any more in either direction, and nobody is told. */
  swallow(): void {
    this.#state = "swallowing";
    for (const socket of this.#sockets) socket.pause();
  }

  open(): void {
    this.#state = "open";
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.reset();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  #join(client: Socket): void {
    this.#joined++;
    if (this.#state === "refusing") {
      // Whoever it is may give up at the same time.
      client.on("error", () => {});
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#target, "127.0.0.1");
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (data) => void to.write(data));
      from.on("error", () => void to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#state === "swallowing") from.pause();
    }
  }
}
