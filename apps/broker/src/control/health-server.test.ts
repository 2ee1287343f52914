import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { HealthServer } from "./health-server.js";

const source = {
  health: () => ({ isHealthy: true, body: { healthy: true } }),
  missing: () => ["a listener"],
  metrics: async () => "kaas_up 1\n",
};

let server: HealthServer | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
});

async function idle(host: string, port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, localAddress: host });
  socket.on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

test("what is asked is answered, and nothing else", async () => {
  server = await HealthServer.listen("127.0.0.1", 0, source);
  const get = async (path: string, method = "GET") => {
    const response = await fetch(`http://127.0.0.1:${server?.port}${path}`, { method });
    return [response.status, await response.text()];
  };
  expect(await get("/healthz")).toEqual([200, '{"healthy":true}\n']);
  expect(await get("/readyz?verbose")).toEqual([503, '{"ready":false,"missing":["a listener"]}\n']);
  expect(await get("/metrics")).toEqual([200, "kaas_up 1\n"]);
  expect((await get("/"))[0]).toBe(404);
  expect((await get("/healthz", "POST"))[0]).toBe(405);
});

// Only Linux has all of 127.0.0.0/8 from the start.
test.skipIf(process.platform !== "linux")(
  "an address that takes all the connections it may have keeps no other out",
  async () => {
    server = await HealthServer.listen("127.0.0.1", 0, source);
    const { port } = server;
    for (let n = 0; n < 20; n++) await idle("127.0.0.1", port);
    const refused = await idle("127.0.0.1", port);
    await once(refused, "close");
    const probe = await idle("127.0.0.2", port);
    probe.end("GET /healthz HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
    const [answer] = await once(probe, "data");
    expect(String(answer)).toContain("200 OK");
    sockets[0]?.destroy();
    await once(sockets[0] as Socket, "close");
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.status)
      .toBe(200);
  },
);
