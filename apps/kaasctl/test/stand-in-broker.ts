import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** A server that is no broker, or a bad one. */
export interface StandIn {
  /** As `--bootstrap-server` takes it. */
  readonly address: string;
  close(): Promise<void>;
}

/** Listens on a free port, and does with connections what it is told to. */
export async function standIn(serve: (socket: Socket) => void): Promise<StandIn> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return {
    address: `127.0.0.1:${address.port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** The request frames that come, without their lengths, each answered with what `answer` makes of it. */
export function answering(answer: (request: Buffer, socket: Socket) => Buffer | undefined): (socket: Socket) => void {
  return (socket) => {
    let rest: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        const end = 4 + rest.readInt32BE(0);
        const body = answer(rest.subarray(4, end), socket);
        rest = rest.subarray(end);
        if (body === undefined) continue;
        const length = Buffer.alloc(4);
        length.writeInt32BE(body.length);
        socket.write(Buffer.concat([length, body]));
      }
    });
  };
}
