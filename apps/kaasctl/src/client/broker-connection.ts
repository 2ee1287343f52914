import type { Socket } from "node:net";
import { ErrorCode, errorName, KaasError, type Random, type Timer } from "@kaas/core";
import { type ApiCodec, apiCodecs, Reader, readResponseHeader, Writer, writeRequestHeader } from "@kaas/core/internal";
import { systemClock } from "@kaas/storage";
import { type BrokerAddress, shownAddress } from "./broker-address.js";
import type { CallName, Calls } from "./calls.js";
import type { ClientSettings } from "./client-settings.js";
import { ClusterError } from "./cluster-error.js";
import { describeFailure } from "./connect-failure.js";
import { FrameReader } from "./frame-reader.js";
import { logIn } from "./sasl-login.js";
import { openSocket } from "./socket.js";

const codecs: ReadonlyMap<string, ApiCodec> = new Map(apiCodecs.map((codec) => [codec.name, codec]));

interface Versions {
  readonly min: number;
  readonly max: number;
}

/** Every broker serves it, and says by it what else it serves. */
const API_VERSIONS: Versions = { min: 0, max: 0 };

interface Waiting {
  readonly codec: ApiCodec;
  readonly version: number;
  readonly correlationId: number;
  readonly timer: Timer;
  resolve(response: unknown): void;
  reject(error: Error): void;
}

/** A connection to one broker, ready for requests. Every error names the broker. */
export class BrokerConnection {
  readonly address: string;
  readonly #socket: Socket;
  readonly #settings: ClientSettings;
  readonly #frames = new FrameReader();
  readonly #writer = new Writer();
  /** In the order in which they were sent, which is that of the answers. */
  readonly #waiting: Waiting[] = [];
  #versions: ReadonlyMap<number, Versions> | undefined;
  #correlationId = 0;
  #failure: ClusterError | undefined;

  private constructor(address: string, socket: Socket, settings: ClientSettings) {
    this.address = address;
    this.#socket = socket;
    this.#settings = settings;
    socket.on("data", (chunk: Buffer) => this.#received(chunk));
    socket.on("error", (error) => this.#fail(describeFailure(error, settings.tls !== undefined)));
    socket.on("close", () => this.#fail(this.#whyClosed()));
  }

  /**
   * Connects, asks what the broker serves, and logs in.
   *
   * @throws ClusterError that says why that did not work
   */
  static async open(address: BrokerAddress, settings: ClientSettings, random: Random): Promise<BrokerConnection> {
    const socket = await openSocket(address, settings);
    const connection = new BrokerConnection(shownAddress(address), socket, settings);
    try {
      await connection.#learnVersions();
      if (settings.login !== undefined) await logIn(connection, settings.login, random);
      return connection;
    } catch (error) {
      connection.close();
      throw error instanceof ClusterError ? connection.#named(error.message) : error;
    }
  }

  /** Whether the broker serves an API in a version that is known here. */
  serves(name: CallName): boolean {
    return this.#versionOf(codecOf(name), Number.POSITIVE_INFINITY) !== undefined;
  }

  /**
   * Asks, and resolves with the answer: in the newest version that both sides know, up to `versionMax`.
   *
   * @throws ClusterError when there is no such version, or no answer
   */
  call<Name extends CallName>(
    name: Name,
    request: Calls[Name]["request"],
    versionMax: number = Number.POSITIVE_INFINITY,
  ): Promise<Calls[Name]["response"]> {
    const codec = codecOf(name);
    const version = this.#versionOf(codec, versionMax);
    if (version === undefined) return Promise.reject(this.#named(`it does not serve ${name} as kaasctl knows it`));
    return this.#send(codec, version, request) as Promise<Calls[Name]["response"]>;
  }

  close(): void {
    this.#fail("the connection was closed");
    this.#socket.destroy();
  }

  #versionOf({ name, key, versionMin, versionMax }: ApiCodec, limit: number): number | undefined {
    const served = name === "ApiVersions" ? API_VERSIONS : this.#versions?.get(key);
    if (served === undefined) return undefined;
    const version = Math.min(versionMax, served.max, limit);
    return version >= Math.max(versionMin, served.min) ? version : undefined;
  }

  async #learnVersions(): Promise<void> {
    const { errorCode, apiKeys } = await this.call("ApiVersions", {});
    if (errorCode !== ErrorCode.NONE) throw new ClusterError(`it does not say what it serves: ${errorName(errorCode)}`);
    this.#versions = new Map(
      apiKeys.map(({ apiKey, minVersion, maxVersion }) => [apiKey, { min: minVersion, max: maxVersion }]),
    );
  }

  #send(codec: ApiCodec, version: number, request: unknown): Promise<unknown> {
    const correlationId = ++this.#correlationId;
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      const { requestTimeoutMs } = this.#settings;
      const timer = systemClock.schedule(requestTimeoutMs, () => {
        this.#fail(`it has not answered ${codec.name} within ${requestTimeoutMs} ms (request.timeout.ms)`);
      });
      this.#waiting.push({ codec, version, correlationId, timer, resolve, reject });
      for (const piece of this.#frame(codec, version, correlationId, request)) this.#socket.write(piece);
    });
  }

  #frame(
    { key, flexibleSince, writeRequest }: ApiCodec,
    version: number,
    correlationId: number,
    request: unknown,
  ): Buffer[] {
    const { clientId } = this.#settings;
    this.#writer.int32(0);
    const header = { requestApiKey: key, requestApiVersion: version, correlationId, clientId };
    writeRequestHeader(this.#writer, header, version >= flexibleSince ? 2 : 1);
    writeRequest(this.#writer, request, version);
    return this.#writer.finishFrame();
  }

  #received(chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    try {
      for (const frame of this.#frames.push(chunk)) this.#answered(frame);
    } catch (error) {
      if (error instanceof ClusterError) this.#fail(error.message);
      else if (error instanceof KaasError) this.#fail(`its answer is not Kafka's protocol: ${error.message}`);
      else throw error;
    }
  }

  #answered(frame: Buffer): void {
    const next = this.#waiting[0];
    if (next === undefined) throw new ClusterError("it sends what nobody asked for");
    const { codec, version, correlationId } = next;
    const reader = new Reader(frame);
    const isFlexible = version >= codec.flexibleSince && codec.name !== "ApiVersions";
    const header = readResponseHeader(reader, isFlexible ? 1 : 0);
    if (header.correlationId !== correlationId)
      throw new ClusterError("its answers do not belong to what it was asked");
    const response = codec.readResponse(reader, version);
    reader.expectEnd();
    this.#waiting.shift();
    next.timer.cancel();
    next.resolve(response);
  }

  /** The first failure is the one that says something. */
  #fail(why: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = this.#named(why);
    this.#socket.destroy();
    for (const { timer, reject } of this.#waiting.splice(0)) {
      timer.cancel();
      reject(this.#failure);
    }
  }

  /** Brokers say nothing to whom they do not understand, or who has not logged in. */
  #whyClosed(): string {
    const { tls, login } = this.#settings;
    const where = "with security.protocol in --command-config";
    if (this.#versions === undefined) {
      const other =
        tls === undefined ? "does that listener want TLS?" : "does it want a client's certificate, or no TLS?";
      return `it closed the connection without an answer; ${other} Say so ${where}`;
    }
    return login === undefined
      ? `it closed the connection; does that listener want a login? Say so ${where}, sasl.mechanism and sasl.jaas.config`
      : "it closed the connection; its log may say why";
  }

  #named(why: string): ClusterError {
    return why.startsWith(this.address) ? new ClusterError(why) : new ClusterError(`${this.address}: ${why}`);
  }
}

function codecOf(name: CallName): ApiCodec {
  const codec = codecs.get(name);
  if (codec === undefined) throw new Error(`there is no codec of ${name}`);
  return codec;
}
