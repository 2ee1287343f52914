import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Clock } from "@kaas/core";
import type { ApiServerAccess, Credentials } from "./api-server-access.js";
import { unreachable } from "./kubernetes-error.js";

/** A connection on which nothing arrives is probed by the kernel after so long. */
const KEEP_ALIVE_MS = 15_000;

export interface HttpCall {
  /** For messages, such as `get kafkatopics kaas/orders`. */
  readonly what: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Until the answer begins, or, where it is read by {@link HttpClient.readAll}, has been read. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to the API server over connections that are kept, and never waits longer than it is told. */
export class HttpClient {
  readonly #access: ApiServerAccess;
  readonly #clock: Clock;
  readonly #base: URL;
  readonly #agent: HttpAgent;
  /** Calls whose answer has not been read to its end. */
  readonly #open = new Set<AbortController>();
  #isClosed = false;

  constructor(access: ApiServerAccess, clock: Clock) {
    this.#access = access;
    this.#clock = clock;
    this.#base = new URL(access.server);
    this.#agent = this.#isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  get #isSecure(): boolean {
    return this.#base.protocol === "https:";
  }

  /**
   * The beginning of an answer, for what is read as it comes. `finish` is called when it has been read, or is of no
   * interest any more; before that, the call's signal ends it.
   */
  async open(call: HttpCall): Promise<{ response: IncomingMessage; finish: () => void }> {
    if (this.#isClosed) throw unreachable(call.what, "the client was closed");
    call.signal?.throwIfAborted();
    const lifetime = new AbortController();
    const abort = (): void => lifetime.abort(call.signal?.reason);
    const late = unreachable(call.what, `no answer within ${call.timeoutMs} ms`);
    const timer = this.#clock.schedule(call.timeoutMs, () => lifetime.abort(late));
    const finish = (): void => {
      timer.cancel();
      call.signal?.removeEventListener("abort", abort);
      this.#open.delete(lifetime);
      lifetime.abort();
    };
    call.signal?.addEventListener("abort", abort);
    this.#open.add(lifetime);
    try {
      const response = await this.#send(call, lifetime.signal, call.method === "GET");
      timer.cancel();
      return { response, finish };
    } catch (error) {
      // Whoever ended the call knows why; what the socket says about it is of no use.
      const reason: unknown = lifetime.signal.aborted ? lifetime.signal.reason : error;
      finish();
      throw reason;
    }
  }

  /** The answer's beginning and its whole body, within one timeout. */
  async readAll(call: HttpCall, bytesMax: number): Promise<{ response: IncomingMessage; body: Buffer }> {
    const beganAt = this.#clock.monotonic();
    const { response, finish } = await this.open(call);
    const left = Math.max(0, call.timeoutMs - (this.#clock.monotonic() - beganAt));
    const late = unreachable(call.what, `no whole answer within ${call.timeoutMs} ms`);
    const timer = this.#clock.schedule(left, () => void response.destroy(late));
    try {
      return { response, body: await bodyOf(call, response, bytesMax) };
    } finally {
      timer.cancel();
      finish();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const call of this.#open) call.abort(unreachable("call", "the client was closed"));
    this.#agent.destroy();
  }

  async #send(call: HttpCall, signal: AbortSignal, mayRepeat: boolean): Promise<IncomingMessage> {
    const credentials = await this.#access.credentials().catch((cause: unknown) => {
      throw unreachable(call.what, `no credentials: ${(cause as Error).message}`, cause);
    });
    signal.throwIfAborted();
    const url = new URL(this.#base.pathname.replace(/\/$/, "") + call.path, this.#base);
    const options = { ...requestOptions(call, credentials), agent: this.#agent };
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const request = this.#isSecure ? httpsRequest(url, options) : httpRequest(url, options);
      const giveUp = (): void => void request.destroy(signal.reason as Error);
      signal.addEventListener("abort", giveUp, { once: true });
      request.on("socket", (socket) => void socket.setKeepAlive(true, KEEP_ALIVE_MS));
      request.on("response", resolve);
      request.on("error", (error) => {
        signal.removeEventListener("abort", giveUp);
        // The server had closed a connection that was kept: this request never reached it.
        if (mayRepeat && request.reusedSocket && !signal.aborted) {
          this.#send(call, signal, false).then(resolve, reject);
        } else reject(unreachable(call.what, error.message, error));
      });
      request.end(call.body);
    });
  }
}

function requestOptions(call: HttpCall, { headers, ...tls }: Credentials): Record<string, unknown> {
  const content =
    call.body === undefined
      ? {}
      : { "content-type": call.contentType ?? "application/json", "content-length": Buffer.byteLength(call.body) };
  return {
    ...Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined)),
    method: call.method,
    headers: { accept: "application/json", "user-agent": "kaas", ...headers, ...content },
  };
}

async function bodyOf({ what, signal }: HttpCall, response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw unreachable(what, (error as Error).message, error);
  }
  return Buffer.concat(chunks);
}
