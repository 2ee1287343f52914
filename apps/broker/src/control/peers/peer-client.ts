import { type ClientDuplexStream, credentials, Metadata } from "@grpc/grpc-js";
import type {
  Assignment,
  Clock,
  Election,
  HeartbeatAnswer,
  HeartbeatReport,
  LeaderWish,
  OngoingMove,
  WishedPartition,
  WishResult,
} from "@kaas/core";
import { PEER_CHANNEL_OPTIONS } from "./channel-options.js";
import type * as wire from "./generated/kaas/peers/v1/peers.js";
import { PeersServiceClient } from "./generated/kaas/peers/v1/peers.js";
import type { PeerToken } from "./peer-token.js";
import {
  answerFromWire,
  assignmentFromWire,
  moveFromWire,
  reportToWire,
  resultFromWire,
  wishToWire,
} from "./wire-form.js";

/** How long a last word may take to get there. */
const FAREWELL_MS = 2_000;

/** Told what comes down the stream. */
export interface PeerListener {
  answered(answer: HeartbeatAnswer): void;
  assigned(assignment: Assignment): void;
  /** Nothing comes any more; called once. */
  ended(reason: string): void;
}

/** A connection to another broker. */
export interface Peer {
  report(report: HeartbeatReport): void;
  reassign(wishes: readonly LeaderWish[], timeoutMs: number): Promise<readonly WishResult[]>;
  elect(election: Election, partitions: readonly WishedPartition[], timeoutMs: number): Promise<readonly WishResult[]>;
  moves(timeoutMs: number): Promise<readonly OngoingMove[] | WishResult>;
  /** Ends the connection, and says that this process lives: it is not to be taken for gone. */
  hangUp(): void;
  /** Ends the connection at once, as the end of the process would. */
  close(): void;
}

/** Connects to `host:port`. */
export type ConnectPeer = (address: string, listener: PeerListener) => Peer;

/** Connects by gRPC. */
export function grpcPeers(token: PeerToken, clock: Clock): ConnectPeer {
  return (address, listener) => new GrpcPeer(address, token, clock, listener);
}

class GrpcPeer implements Peer {
  readonly #client: PeersServiceClient;
  readonly #metadata = new Metadata();
  readonly #stream: ClientDuplexStream<wire.HeartbeatRequest, wire.HeartbeatResponse>;
  readonly #clock: Clock;
  #isOver = false;
  #said: HeartbeatReport | undefined;

  constructor(address: string, token: PeerToken, clock: Clock, listener: PeerListener) {
    this.#client = new PeersServiceClient(address, credentials.createInsecure(), PEER_CHANNEL_OPTIONS);
    this.#clock = clock;
    this.#metadata.set("authorization", token.header);
    this.#stream = this.#client.heartbeat(this.#metadata);
    const end = (reason: string): void => {
      if (this.#isOver) return;
      this.close();
      listener.ended(reason);
    };
    this.#stream.on("data", ({ answer, assignment }: wire.HeartbeatResponse) => {
      if (this.#isOver) return;
      if (answer !== undefined) listener.answered(answerFromWire(answer));
      if (assignment !== undefined) listener.assigned(assignmentFromWire(assignment));
    });
    this.#stream.on("error", (error) => end(error.message));
    this.#stream.on("end", () => end("the other end closed it"));
  }

  report(report: HeartbeatReport): void {
    if (this.#isOver) return;
    this.#said = report;
    this.#stream.write(reportToWire(report));
  }

  async reassign(wishes: readonly LeaderWish[], timeoutMs: number): Promise<readonly WishResult[]> {
    const { results } = await this.#ask<wire.ReassignResponse>(timeoutMs, (deadline, done) =>
      this.#client.reassign({ wishes: wishes.map(wishToWire) }, this.#metadata, { deadline }, done),
    );
    return results.map(resultFromWire);
  }

  async elect(
    election: Election,
    partitions: readonly WishedPartition[],
    timeoutMs: number,
  ): Promise<readonly WishResult[]> {
    const { results } = await this.#ask<wire.ElectResponse>(timeoutMs, (deadline, done) =>
      this.#client.elect({ election, partitions: [...partitions] }, this.#metadata, { deadline }, done),
    );
    return results.map(resultFromWire);
  }

  async moves(timeoutMs: number): Promise<readonly OngoingMove[] | WishResult> {
    const { moves, refusal } = await this.#ask<wire.MovesResponse>(timeoutMs, (deadline, done) =>
      this.#client.moves({}, this.#metadata, { deadline }, done),
    );
    return refusal === undefined ? moves.map(moveFromWire) : resultFromWire(refusal);
  }

  hangUp(): void {
    if (this.#isOver || this.#said === undefined) return this.close();
    this.#isOver = true;
    this.#stream.end(reportToWire(this.#said, true));
    this.#client.close();
    // The other end may stand still, or be cut off: it is not waited for.
    this.#clock.schedule(FAREWELL_MS, () => this.#stream.cancel());
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream.cancel();
    this.#client.close();
  }

  #ask<Response>(
    timeoutMs: number,
    call: (deadline: Date, done: (error: Error | null, response: Response) => void) => unknown,
  ): Promise<Response> {
    // gRPC's deadlines are times of the wall clock.
    const deadline = new Date(this.#clock.now() + timeoutMs);
    return new Promise((resolve, reject) => {
      call(deadline, (error, response) => (error === null ? resolve(response) : reject(error)));
    });
  }
}
