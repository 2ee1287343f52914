import { createServer } from "node:net";

/** Below the ports that the kernel gives to clients: one of those could take a server's while it is down for a moment. */
const LOWEST = 20_000;
const COUNT = 12_000;

/** One after the other from here: what was given out is not given out again before somebody listens on it. */
let next = Math.floor(Math.random() * COUNT);

/** A port of 127.0.0.1 that nobody listens on, and that nobody will be given by chance. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => void server.close(() => resolve(true)));
  });
}
