import type { ClientConnection } from "../api/api-handler.js";
import { ErrorCode } from "../errors/error-codes.js";
import { ApiKey, type RequestHeader } from "../messages/generated/index.js";
import { Reader } from "../wire/reader.js";
import type { GateRefusal, SaslSession } from "../security/sasl/sasl-session.js";
import { chargeAnswer } from "./charge-answer.js";
import type { ConnectionHost } from "./connection-host.js";
import { type Exchange, type ExchangeOwner, ExchangeState } from "./exchange.js";
import { ExchangeQueue } from "./exchange-queue.js";
import type { Frame } from "./frame-memory.js";
import type { Output } from "./output.js";
import type { MemoryHolder } from "./request-memory.js";
import { HEADER_BYTES_MIN, readBody, readHeader } from "./request-reader.js";
import type { ServedApi } from "../api/api-registry.js";
import { ServerCounter } from "./server-metrics.js";
import { IN_FLIGHT_BYTES_MAX, IN_FLIGHT_REQUESTS_MAX } from "./server-limits.js";

/** The connection that a pipeline works for. */
export interface PipelineOwner extends ClientConnection, MemoryHolder {
  /** The first exchange in the queue has its answer. */
  answerReady(): void;
  /** Starts no request for so many milliseconds: the client has used more than its quota. */
  mute(throttleMs: number): void;
  /** Closes the connection for what the client sent. */
  refuse(reason: string): void;
}

/**
 * Turns the frames of one connection into answers, in order.
 *
 * Like Apache Kafka, which handles one request of a connection at a time, a request sees all effects of those before
 * it: the next is started when the previous is answered. Produce requests, whose handler decides their order before it
 * waits for the disk, are the exception: any number of them may follow each other while none is answered yet.
 */
export class Pipeline implements ExchangeOwner {
  readonly #host: ConnectionHost;
  readonly #connection: PipelineOwner;
  readonly #output: Output;
  readonly #queue = new ExchangeQueue(this);
  #inFlightBytes = 0;
  /** Whether the exchange in flight, if there is one, suffers no other beside it. */
  #isExclusive = false;
  #isAbandoned = false;

  constructor(host: ConnectionHost, connection: PipelineOwner, output: Output) {
    this.#host = host;
    this.#connection = connection;
    this.#output = output;
  }

  get inFlightBytes(): number {
    return this.#inFlightBytes;
  }

  get isEmpty(): boolean {
    return this.#queue.count === 0;
  }

  mayStart({ bytes }: Frame): boolean {
    if (this.#queue.count === 0) return true;
    if (this.#isExclusive || !isPipelined(bytes)) return false;
    return this.#queue.count < IN_FLIGHT_REQUESTS_MAX && this.#inFlightBytes < IN_FLIGHT_BYTES_MAX;
  }

  /** Hands a request to its handler; only when {@link mayStart} allows it. */
  start({ bytes: frame, memory }: Frame): void {
    const exchange = this.#queue.push();
    exchange.frameBytes = frame.length;
    exchange.requestMemory = memory;
    this.#inFlightBytes += frame.length;
    this.#isExclusive = !isPipelined(frame);
    const { sasl } = this.#connection;
    if (sasl?.isRaw === true) {
      this.#startRaw(exchange, sasl, frame);
      return;
    }
    if (frame.length < HEADER_BYTES_MIN) {
      exchange.refuse(`a frame of ${frame.length} bytes holds no request header`);
      return;
    }
    const apiKey = frame.readInt16BE(0);
    const api = this.#host.apis.lookup(apiKey);
    const refusal = sasl?.admit(apiKey);
    if (refusal !== undefined && refusal.errorCode === undefined) exchange.refuse(refusal.reason);
    else if (api === undefined) exchange.refuse(`API key ${apiKey} is not served`);
    else this.#begin(exchange, api, frame, refusal);
  }

  /** Encodes the answers that are ready, up to the first that is not. */
  drain(): void {
    for (;;) {
      const exchange = this.#queue.first;
      if (exchange === undefined || exchange.state === ExchangeState.WAITING) return;
      if (exchange.state === ExchangeState.ANSWERED) {
        const throttleMs = chargeAnswer(this.#host.broker.quotas, exchange);
        this.#encode(exchange);
        if (throttleMs > 0) this.#throttle(throttleMs);
      }
      if (exchange.state === ExchangeState.UNANSWERABLE) {
        this.#connection.refuse(exchange.closeReason);
        return;
      }
      this.#inFlightBytes -= exchange.frameBytes;
      this.#measure(exchange);
      this.#queue.shift();
    }
  }

  #throttle(throttleMs: number): void {
    this.#host.metrics.add(ServerCounter.REQUESTS_THROTTLED, 1);
    this.#host.metrics.add(ServerCounter.THROTTLED_MS, throttleMs);
    this.#connection.mute(throttleMs);
  }

  /**
   * Forgets the queue, since the connection is gone. What handlers are at work on goes on taking memory until they are
   * done; returns how many bytes that are.
   */
  abandon(): number {
    this.#isAbandoned = true;
    const bytes = this.#queue.waitingBytes;
    this.#queue.abandon();
    return bytes;
  }

  settled(exchange: Exchange): void {
    if (this.#isAbandoned) {
      this.#host.memory.release(this.#connection, exchange.frameBytes);
      exchange.clear();
      return;
    }
    if (exchange === this.#queue.first) this.#connection.answerReady();
  }

  /** A handler threw: the others do not notice. */
  failed(exchange: Exchange, error: unknown): void {
    const { api, context, correlationId } = exchange;
    this.#host.log.error(
      {
        err: error,
        api: api?.codec.name,
        apiVersion: context?.apiVersion,
        correlationId,
        clientId: context?.clientId,
        connectionId: this.#connection.id,
        remoteAddress: this.#connection.remoteAddress,
      },
      "a request failed for a reason that its handler does not know",
    );
    this.#answerError(exchange, ErrorCode.UNKNOWN_SERVER_ERROR, "a request failed and its answer cannot say so");
  }

  /** A message of a login that comes without a header, and is answered without one. */
  #startRaw(exchange: Exchange, sasl: SaslSession, frame: Buffer): void {
    exchange.isRaw = true;
    this.#isExclusive = true;
    sasl.authenticate(frame).then(({ message, closeReason }) => {
      if (closeReason === undefined) exchange.answer(message);
      else exchange.refuse(closeReason);
      this.settled(exchange);
    }, exchange.onRejected);
  }

  #begin(exchange: Exchange, api: ServedApi, frame: Buffer, refusal: GateRefusal | undefined): void {
    const { codec, handler } = api;
    const apiVersion = frame.readInt16BE(2);
    this.#host.metrics.request(codec.key);
    exchange.startedMs = this.#host.broker.clock.monotonic();
    exchange.api = api;
    exchange.responseVersion = apiVersion;
    const reader = new Reader(frame);
    let header: RequestHeader;
    try {
      header = readHeader(reader, codec, apiVersion);
    } catch (error) {
      this.#refuse(exchange, `the request header cannot be read: ${(error as Error).message}`);
      return;
    }
    exchange.correlationId = header.correlationId;
    exchange.context = {
      broker: this.#host.broker,
      connection: this.#connection,
      apiKey: codec.key,
      apiVersion,
      clientId: header.clientId,
      requestMemory: exchange.requestMemory,
    };
    const isServed = apiVersion >= handler.versionMin && apiVersion <= handler.versionMax;
    if (!isServed && !this.#readsUnserved(exchange, api, apiVersion)) return;
    try {
      exchange.request = readBody(reader, codec, apiVersion);
    } catch (error) {
      this.#malformed(exchange, api, apiVersion, error as Error);
      return;
    }
    if (refusal?.errorCode !== undefined) {
      this.#connection.refuseAfterAnswers(refusal.reason);
      this.#answerError(exchange, refusal.errorCode, refusal.reason);
      return;
    }
    if (isServed) this.#handle(exchange, api);
    else this.#answerError(exchange, ErrorCode.UNSUPPORTED_VERSION, `${codec.name} ${apiVersion} is not served`);
  }

  #handle(exchange: Exchange, { handler }: ServedApi): void {
    const { quotas, clock } = this.#host.broker;
    try {
      const response: unknown = handler.handle(exchange.context as NonNullable<Exchange["context"]>, exchange.request);
      if (quotas.limitsRequests) exchange.busyMs = clock.monotonic() - exchange.startedMs;
      if (response instanceof Promise) {
        response.then(exchange.onResolved, exchange.onRejected);
        return;
      }
      exchange.answer(response);
    } catch (error) {
      this.failed(exchange, error);
    }
    if (this.#isAbandoned) this.settled(exchange); // the handler itself closed the connection
  }

  /**
   * Whether a request of a version that is not served is read, to be answered with an error. False where its form, or that
   * of its answer, is not known: then the answer has been given, or the connection is refused.
   */
  #readsUnserved(exchange: Exchange, { codec }: ServedApi, apiVersion: number): boolean {
    if (codec.key === ApiKey.ApiVersions) {
      this.#host.metrics.error(codec.key);
      exchange.responseVersion = 0;
      exchange.answer(this.#host.unsupportedApiVersions());
      return false;
    }
    if (apiVersion >= codec.versionMin && apiVersion <= codec.versionMax) return true;
    this.#refuse(exchange, `${codec.name} has no version ${apiVersion}`);
    return false;
  }

  #malformed(exchange: Exchange, { codec }: ServedApi, apiVersion: number, error: Error): void {
    const reason = `${codec.name} ${apiVersion} cannot be read: ${error.message}`;
    const response = codec.errorResponse(ErrorCode.INVALID_REQUEST, apiVersion);
    if (response === undefined) {
      this.#refuse(exchange, reason);
      return;
    }
    this.#host.metrics.error(codec.key);
    this.#complain(reason);
    exchange.answer(response);
  }

  #measure({ api, startedMs }: Exchange): void {
    if (api === undefined) return;
    this.#host.metrics.answered(api.codec.key, this.#host.broker.clock.monotonic() - startedMs);
  }

  #complain(reason: string): void {
    const { id, remoteAddress, listenerName } = this.#connection;
    this.#host.complaints.warn(remoteAddress, { remoteAddress, connectionId: id, listener: listenerName }, reason);
  }

  #answerError(exchange: Exchange, errorCode: ErrorCode, reason: string): void {
    let response: unknown;
    try {
      response = exchange.api?.handler.fail(exchange.request, errorCode);
    } catch (error) {
      this.#host.log.error({ err: error, api: exchange.api?.codec.name }, "a handler cannot say that it failed");
    }
    if (response === undefined) {
      this.#refuse(exchange, reason);
      return;
    }
    if (exchange.api !== undefined) this.#host.metrics.error(exchange.api.codec.key);
    exchange.answer(response);
  }

  #refuse(exchange: Exchange, reason: string): void {
    if (exchange.api !== undefined) this.#host.metrics.error(exchange.api.codec.key);
    exchange.refuse(reason);
  }

  #encode(exchange: Exchange): void {
    try {
      this.#write(exchange);
    } catch (error) {
      this.failed(exchange, error);
      if (exchange.state === ExchangeState.ANSWERED) this.#encodeError(exchange);
    }
  }

  #encodeError(exchange: Exchange): void {
    try {
      this.#write(exchange);
    } catch (error) {
      this.#host.log.error({ err: error, api: exchange.api?.codec.name }, "an error response cannot be encoded");
      exchange.refuse("a response cannot be encoded");
    }
  }

  #write(exchange: Exchange): void {
    const { api, response, responseVersion, correlationId } = exchange;
    if (exchange.isRaw) {
      this.#output.add(rawFrame(response as Buffer), undefined);
      return;
    }
    if (response === undefined || api === undefined) return;
    const pieces = this.#host.responses.write(api, responseVersion, correlationId, response);
    this.#output.add(pieces, exchange.takeLease());
  }
}

function rawFrame(message: Buffer): readonly Buffer[] {
  const length = Buffer.allocUnsafe(4);
  length.writeInt32BE(message.length);
  return message.length === 0 ? [length] : [length, message];
}

function isPipelined(frame: Buffer): boolean {
  return frame.length >= HEADER_BYTES_MIN && frame.readInt16BE(0) === ApiKey.Produce;
}
