import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../test/fakes/until.js";
import { SharedReads, type SocketReader } from "./shared-reads.js";

let server: Server;
let clients: Socket[];
beforeEach(async () => {
  clients = [];
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  server.close();
  await once(server, "close");
});

/** A client, and the socket that it was accepted with. */
async function accepted(): Promise<[Socket, Socket]> {
  const { port } = server.address() as { port: number };
  const client = connect({ port, host: "127.0.0.1", noDelay: true });
  clients.push(client);
  const [socket] = (await once(server, "connection")) as [Socket];
  return [client, socket];
}

/** What a reader was given, and the memory that it came in. */
function received(reader: SocketReader): { text: string; ended: boolean; memory: Set<unknown> } {
  const seen = { text: "", ended: false, memory: new Set<unknown>() };
  reader.onBytes = (chunk) => {
    seen.text += chunk.toString();
    seen.memory.add(chunk.buffer);
  };
  reader.onEnd = () => {
    seen.ended = true;
  };
  reader.socket.on("error", () => undefined);
  return seen;
}

test("all sockets are read into the same memory", async () => {
  const reads = new SharedReads();
  const [[one, first], [other, second]] = [await accepted(), await accepted()];
  const [a, b] = [received(reads.adopt(first)), received(reads.adopt(second))];
  one.write("one");
  other.write("other");
  await until(() => a.text === "one" && b.text === "other");
  expect([...a.memory]).toEqual([...b.memory]);
});

describe.each(["in shared memory", "in the usual way, where the connection cannot be moved"])("%s", (way) => {
  const adopt = (socket: Socket): SocketReader => {
    if (way !== "in shared memory") {
      const handle = (socket as unknown as { _handle: { useUserBuffer: unknown } })._handle;
      handle.useUserBuffer = undefined;
    }
    return new SharedReads().adopt(socket);
  };

  test("bytes go both ways, and each side sees the other close", async () => {
    const [client, socket] = await accepted();
    const reader = adopt(socket);
    const seen = received(reader);
    client.write("ping");
    await until(() => seen.text === "ping");
    reader.socket.write("pong");
    expect(String((await once(client, "data"))[0])).toBe("pong");
    client.resume().end();
    await until(() => seen.ended && client.closed);
  });

  test("nothing comes during a pause, and nothing is lost", async () => {
    const [client, socket] = await accepted();
    const reader = adopt(socket);
    const seen = received(reader);
    client.write("a");
    await until(() => seen.text === "a");
    reader.pause();
    const much = "b".repeat(3_000_000);
    client.write(much);
    client.end("c");
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([seen.text, seen.ended]).toEqual(["a", false]);
    reader.resume();
    await until(() => seen.ended);
    expect(seen.text).toBe(`a${much}c`);
  });

  test("the end is noticed during a pause in which nothing comes", async () => {
    const [client, socket] = await accepted();
    const reader = adopt(socket);
    const seen = received(reader);
    reader.pause();
    client.end();
    await until(() => seen.ended);
  });

  test("a connection that breaks is closed", async () => {
    const [client, socket] = await accepted();
    const reader = adopt(socket);
    received(reader);
    client.resetAndDestroy();
    await until(() => reader.socket.closed);
  });
});
