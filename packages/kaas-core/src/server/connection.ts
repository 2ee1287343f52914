import type { Socket } from "node:net";
import type { Timer } from "../ports/clock.js";
import type { Access } from "../security/access.js";
import type { KafkaPrincipal } from "../security/kafka-principal.js";
import type { SaslSession } from "../security/sasl/sasl-session.js";
import type { ConnectionHost } from "./connection-host.js";
import { FrameAssembler } from "./frame-assembler.js";
import type { Frame } from "./frame-memory.js";
import { Output } from "./output.js";
import { Pipeline, type PipelineOwner } from "./pipeline.js";
import type { MemoryHolder } from "./request-memory.js";
import { AUTHENTICATION_MS_MAX, CLOSE_LINGER_MS, REQUESTS_PER_TURN, UNREAD_ANSWER_BYTES_MAX } from "./server-limits.js";
import { ServerCounter } from "./server-metrics.js";
import type { SocketReader } from "./shared-reads.js";
import type { Ticked } from "./tick-queue.js";

/** Where a connection comes from. */
export interface Peer {
  readonly listenerName: string;
  readonly remoteAddress: string;
  /** Who the connection itself shows the client to be: by its certificate, or anonymous. */
  readonly principal: KafkaPrincipal;
  /** How the client logs in, where it has to. */
  readonly sasl: SaslSession | undefined;
}

const ConnectionState = {
  OPEN: 0,
  /** The server is closing: what is in flight is answered, nothing else is started. */
  FINISHING: 1,
  /** No more requests and answers; what was handed to the socket is still sent. */
  CLOSED: 2,
} as const;

type ConnectionState = (typeof ConnectionState)[keyof typeof ConnectionState];

/**
 * One client. Reads requests as fast as they can be started, held and answered, and no faster: when the pipeline, the
 * client's own reading of answers or the memory for requests says so, the socket is paused.
 */
export class Connection implements PipelineOwner, MemoryHolder, Ticked {
  readonly id: number;
  readonly listenerName: string;
  readonly remoteAddress: string;
  readonly sasl: SaslSession | undefined;
  clientSoftwareName = "";
  clientSoftwareVersion = "";
  isScheduled = false;

  readonly #host: ConnectionHost;
  readonly #reader: SocketReader;
  readonly #socket: Socket;
  readonly #assembler: FrameAssembler;
  readonly #output = new Output();
  readonly #pipeline: Pipeline;
  #state: ConnectionState = ConnectionState.OPEN;
  /** Goes on after the others had their turn. */
  readonly #nextTurn: Ticked = { isScheduled: false, turn: () => this.#run() };
  /** A frame that could not be started yet. */
  #held: Frame | undefined;
  /** What `host.memory` believes that this connection holds. */
  #countedBytes = 0;
  #isReading = true;
  /** The client has closed its side; what it had sent before is still done. */
  #isLeft = false;
  #activeAtMs: number;
  #closeCallbacks: Set<() => void> | undefined;
  /** By the connection itself: its certificate, if it has one. */
  readonly #certified: KafkaPrincipal;
  readonly #openedAtMs: number;
  /** Why the connection is being finished, if it is for what the client did. */
  #refusal: string | undefined;
  /** Ends the time in which no request is started. */
  #muted: Timer | undefined;
  #mutedUntilMs = 0;
  #access: Access | undefined;
  /** Whose access that is. */
  #accessPrincipal: KafkaPrincipal | undefined;

  constructor(host: ConnectionHost, reader: SocketReader, id: number, peer: Peer) {
    const { socket } = reader;
    const { listenerName, remoteAddress, sasl } = peer;
    this.#reader = reader;
    this.#host = host;
    this.#assembler = new FrameAssembler(host.frames);
    this.#socket = socket;
    this.id = id;
    this.listenerName = listenerName;
    this.remoteAddress = remoteAddress;
    this.sasl = sasl;
    this.#certified = peer.principal;
    this.#openedAtMs = host.sweptAtMs;
    this.#pipeline = new Pipeline(host, this, this.#output);
    this.#activeAtMs = host.sweptAtMs;
    reader.onBytes = (chunk) => this.#received(chunk);
    reader.onEnd = () => this.#left();
    socket.on("drain", () => this.#drained());
    socket.on("error", (error) =>
      host.log.debug({ err: error, connectionId: id, remoteAddress }, "a connection broke"),
    );
    socket.on("close", () => this.#left());
  }

  get access(): Access {
    if (this.#access === undefined || this.#accessPrincipal !== this.principal) {
      this.#accessPrincipal = this.principal;
      this.#access = this.#host.broker.authorizer.accessOf(this.principal, this.remoteAddress);
    }
    return this.#access;
  }

  get principal(): KafkaPrincipal {
    return this.sasl === undefined ? this.#certified : this.sasl.principal;
  }

  /**
   * The client is told to wait as well, but old ones do not, and it is the broker's to see to it (KIP-219). What was
   * sent already is answered; of what comes, one request is held, and the rest stays in the socket.
   */
  mute(throttleMs: number): void {
    const { clock } = this.#host.broker;
    const untilMs = clock.monotonic() + throttleMs;
    if (this.#state === ConnectionState.CLOSED || untilMs <= this.#mutedUntilMs) return;
    this.#mutedUntilMs = untilMs;
    this.#muted?.cancel();
    this.#muted = clock.schedule(throttleMs, () => {
      this.#muted = undefined;
      this.#activeAtMs = this.#host.sweptAtMs;
      this.#run();
    });
  }

  onClose(callback: () => void): () => void {
    if (this.#state === ConnectionState.CLOSED) {
      queueMicrotask(callback);
      return () => {};
    }
    this.#closeCallbacks ??= new Set();
    this.#closeCallbacks.add(callback);
    return () => this.#closeCallbacks?.delete(callback);
  }

  close(reason: string): void {
    if (this.#state === ConnectionState.CLOSED) return;
    this.#host.log.debug({ connectionId: this.id, remoteAddress: this.remoteAddress, reason }, "closing a connection");
    this.#end();
  }

  refuse(reason: string): void {
    if (this.#state === ConnectionState.CLOSED) return;
    this.#host.metrics.add(ServerCounter.CONNECTIONS_CLOSED_BAD_INPUT, 1);
    const { id, remoteAddress, listenerName } = this;
    const fields = { remoteAddress, connectionId: id, listener: listenerName };
    this.#host.complaints.warn(remoteAddress, fields, `closing a connection: ${reason}`);
    this.#end();
  }

  refuseAfterAnswers(reason: string): void {
    if (this.#state === ConnectionState.CLOSED) return;
    if (this.sasl?.hasFailed === true) this.#host.metrics.add(ServerCounter.AUTHENTICATIONS_FAILED, 1);
    this.#refusal = reason;
    this.finish();
  }

  /** Answers what is in flight, then closes. */
  finish(): void {
    if (this.#state !== ConnectionState.OPEN) return;
    this.#state = ConnectionState.FINISHING;
    this.#setReading(false);
    if (this.#pipeline.isEmpty) this.#finished();
  }

  /** Closes at once; what was not sent is lost. */
  destroy(): void {
    this.#socket.destroy();
    this.#close();
  }

  /** Closes the connection if nothing has happened for too long. */
  sweep(nowMs: number): void {
    const silentMs = nowMs - this.#activeAtMs;
    if (this.#state === ConnectionState.CLOSED) {
      if (silentMs >= CLOSE_LINGER_MS) this.destroy();
      return;
    }
    if (this.sasl?.isAuthenticated === false && nowMs - this.#openedAtMs >= AUTHENTICATION_MS_MAX) {
      this.refuse(`no login within ${AUTHENTICATION_MS_MAX} ms`);
      return;
    }
    const idleMsMax = this.#host.limits.connectionsMaxIdleMs;
    if (idleMsMax < 0 || silentMs < idleMsMax) return;
    const isWaitedFor = !this.#pipeline.isEmpty && this.#socket.writableLength === 0;
    if (isWaitedFor || this.#muted !== undefined) return;
    this.#host.metrics.add(ServerCounter.CONNECTIONS_CLOSED_IDLE, 1);
    this.close(`idle for connections.max.idle.ms=${idleMsMax}`);
  }

  answerReady(): void {
    this.#host.ticks.schedule(this);
  }

  memoryFreed(): void {
    this.#run();
  }

  /** Sends the answers that became ready, then starts what waited for them. */
  turn(): void {
    if (this.#state === ConnectionState.CLOSED) return;
    this.#pipeline.drain();
    this.#run();
  }

  #received(chunk: Buffer): void {
    this.#host.metrics.add(ServerCounter.BYTES_IN, chunk.length);
    if (this.#state !== ConnectionState.OPEN) return;
    this.#activeAtMs = this.#host.sweptAtMs;
    this.#assembler.push(chunk);
    this.#run();
    this.#assembler.keepRest();
  }

  /**
   * The client has closed. A request that waits for the one before it is done all the same, as by Apache Kafka: a
   * consumer that closes commits, leaves its group, and does not stay for the answers.
   */
  #left(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    if (this.#state !== ConnectionState.OPEN || this.#held === undefined) this.#close();
    else this.#run();
  }

  #drained(): void {
    this.#activeAtMs = this.#host.sweptAtMs;
    if (this.#held !== undefined) this.#run();
  }

  #run(): void {
    if (this.#state === ConnectionState.OPEN) this.#startRequests();
    if (this.#state === ConnectionState.CLOSED) return;
    if (this.#isLeft && this.#held === undefined) {
      this.#close();
      return;
    }
    this.#flush();
    if (this.#state === ConnectionState.FINISHING) {
      if (this.#pipeline.isEmpty) this.#finished();
      return;
    }
    const before = this.#countedBytes;
    this.#countedBytes = this.#pipeline.inFlightBytes + this.#assembler.heldBytes + (this.#held?.bytes.length ?? 0);
    const hasMemory = this.#host.memory.change(this, before, this.#countedBytes);
    this.#setReading(hasMemory && this.#held === undefined && this.#assembler.fault === undefined);
  }

  #startRequests(): void {
    for (let started = 0; this.#state === ConnectionState.OPEN; started++) {
      const frame = this.#held ?? this.#assembler.next(this.#frameBytesMax());
      this.#held = undefined;
      if (frame === undefined) {
        if (this.#assembler.fault !== undefined && this.#pipeline.isEmpty) this.refuse(this.#assembler.fault);
        return;
      }
      const isHeldBack = this.#muted !== undefined || this.#isUnread() || !this.#pipeline.mayStart(frame);
      if (started >= REQUESTS_PER_TURN || isHeldBack) {
        this.#held = frame;
        if (started >= REQUESTS_PER_TURN) this.#host.turns.schedule(this.#nextTurn);
        return;
      }
      this.#pipeline.start(frame);
      this.#pipeline.drain();
    }
  }

  /** Until a client has logged in, it has no more to say than that. */
  #frameBytesMax(): number {
    const { limits } = this.#host;
    return this.sasl === undefined || this.sasl.isAuthenticated
      ? limits.socketRequestMaxBytes
      : Math.min(limits.saslServerMaxReceiveSize, limits.socketRequestMaxBytes);
  }

  /** Whether the client leaves too many answers unread to be given more. */
  #isUnread(): boolean {
    return !this.#isLeft && this.#socket.writableLength + this.#output.size >= UNREAD_ANSWER_BYTES_MAX;
  }

  #setReading(isReading: boolean): void {
    if (this.#isReading === isReading) return;
    this.#isReading = isReading;
    if (isReading) {
      this.#reader.resume();
      return;
    }
    this.#host.metrics.add(ServerCounter.READS_PAUSED, 1);
    this.#reader.pause();
  }

  #flush(): void {
    const size = this.#output.flush(this.#socket);
    if (size === 0) return;
    this.#host.metrics.add(ServerCounter.BYTES_OUT, size);
    this.#activeAtMs = this.#host.sweptAtMs;
  }

  #finished(): void {
    if (this.#refusal === undefined) this.close("the broker is shutting down");
    else this.refuse(this.#refusal);
  }

  /** Closes, but lets the socket send what it has, for as long as a sweep allows. */
  #end(): void {
    this.#flush();
    this.#close();
    this.#activeAtMs = this.#host.sweptAtMs;
    this.#socket.destroySoon();
  }

  #close(): void {
    if (this.#state === ConnectionState.CLOSED) return;
    this.#state = ConnectionState.CLOSED;
    this.#muted?.cancel();
    this.#muted = undefined;
    this.#held?.memory?.release();
    this.#held = undefined;
    this.#assembler.release();
    this.#output.discard();
    this.#host.memory.release(this, this.#countedBytes - this.#pipeline.abandon());
    this.#countedBytes = 0;
    const callbacks = this.#closeCallbacks;
    this.#closeCallbacks = undefined;
    for (const callback of callbacks ?? []) this.#call(callback);
  }

  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#host.log.error({ err: error, connectionId: this.id }, "a callback on the end of a connection failed");
    }
  }
}
