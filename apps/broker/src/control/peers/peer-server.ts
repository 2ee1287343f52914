import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { type Assignment, type Clock, type ControllerApi, KaasError, type Log, type Timer } from "@kaas/core";
import { admitting } from "./admission.js";
import { PEER_SERVER_OPTIONS } from "./channel-options.js";
import {
  type ElectRequest,
  type ElectResponse,
  type HeartbeatRequest,
  type HeartbeatResponse,
  type MovesRequest,
  type MovesResponse,
  PeersServiceService,
  type ReassignRequest,
  type ReassignResponse,
} from "./generated/kaas/peers/v1/peers.js";
import type { PeerToken } from "./peer-token.js";
import { assignmentToWire, moveToWire, reportFromWire, resultToWire, wishFromWire } from "./wire-form.js";

type HeartbeatStream = ServerDuplexStream<HeartbeatRequest, HeartbeatResponse>;

export interface PeerServerOptions {
  readonly host: string;
  readonly port: number;
  readonly token: PeerToken;
  readonly controller: ControllerApi;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whoever lives connects again much sooner. */
export const RETURN_MS = 600;

/** Hears the other brokers, and tells them what the controller has decided. */
export class PeerServer {
  readonly port: number;
  readonly #server: Server;
  readonly #followers: Followers;

  private constructor(server: Server, port: number, followers: Followers) {
    this.#server = server;
    this.port = port;
    this.#followers = followers;
  }

  /** @throws KaasError KAAS_LISTENER_FAILED */
  static async listen(options: PeerServerOptions): Promise<PeerServer> {
    const { host, port, token, controller, clock, log } = options;
    const server = new Server({ ...PEER_SERVER_OPTIONS, interceptors: [admitting(token)] });
    const followers = new Followers(controller, clock);
    server.addService(PeersServiceService, {
      heartbeat: (stream: HeartbeatStream) => hear(stream, controller, followers, log),
      reassign: unary(({ wishes }: ReassignRequest): ReassignResponse => {
        return { results: controller.reassign(wishes.map(wishFromWire)).map(resultToWire) };
      }),
      elect: unary(({ election, partitions }: ElectRequest): ElectResponse => {
        const kind = election === "unclean" ? "unclean" : "preferred";
        return { results: controller.elect(kind, partitions).map(resultToWire) };
      }),
      moves: unary((_request: MovesRequest): MovesResponse => {
        return { moves: controller.moves().map(moveToWire), refusal: undefined };
      }),
    });
    const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
    const bound = await new Promise<number>((resolve, reject) => {
      server.bindAsync(address, ServerCredentials.createInsecure(), (cause, boundPort) => {
        if (cause === null) return resolve(boundPort);
        reject(new KaasError("KAAS_LISTENER_FAILED", `peers ${address} cannot be bound: ${cause.message}`, { cause }));
      });
    });
    return new PeerServer(server, bound, followers);
  }

  /** Sends an assignment to every broker that is connected. */
  publish(assignment: Assignment): void {
    this.#followers.publish(assignment);
  }

  close(): void {
    this.#followers.close();
    this.#server.forceShutdown();
  }
}

function hear(stream: HeartbeatStream, controller: ControllerApi, followers: Followers, log: Log): void {
  const follower = new Follower(stream);
  stream.on("data", (request: HeartbeatRequest) => {
    if (request.hangsUp) {
      follower.hasHungUp = true;
      return;
    }
    const answer = controller.hear(reportFromWire(request));
    follower.nodeId = request.nodeId;
    follower.incarnation = request.incarnation;
    follower.send({ answer, assignment: undefined });
    if (answer.verdict === "not-controller") return;
    followers.add(follower);
    const { assignment } = controller;
    if (assignment !== undefined) follower.offer(assignment);
  });
  stream.on("error", (error) => log.debug({ err: error }, "a broker's heartbeats broke off"));
  stream.on("end", () => stream.end());
  stream.on("close", () => followers.delete(follower));
  stream.on("cancelled", () => followers.delete(follower));
}

/** One broker that hears of assignments. Of those that it is too slow for, it gets the last. */
class Follower {
  nodeId = -1;
  incarnation = "";
  /** Whether it said that it lives, and goes on elsewhere. */
  hasHungUp = false;
  readonly #stream: HeartbeatStream;
  #told: Assignment | undefined;
  #next: Assignment | undefined;
  #isFull = false;

  constructor(stream: HeartbeatStream) {
    this.#stream = stream;
    stream.on("drain", () => {
      this.#isFull = false;
      if (this.#next !== undefined) this.offer(this.#next);
    });
  }

  offer(assignment: Assignment): void {
    if (assignment === this.#told) return;
    this.#next = assignment;
    if (this.#isFull) return;
    this.#told = assignment;
    this.#next = undefined;
    this.send({ answer: undefined, assignment: assignmentToWire(assignment) });
  }

  send(message: HeartbeatResponse): void {
    if (this.#stream.writable && !this.#stream.write(message)) this.#isFull = true;
  }
}

/**
 * All that are connected. One whose connection breaks is given a moment to come back before the controller is told that it
 * is gone; of one that hung up nothing is told, and it has as long as any broker may be silent.
 */
class Followers {
  readonly #controller: ControllerApi;
  readonly #clock: Clock;
  readonly #all = new Set<Follower>();
  readonly #expected = new Map<string, Timer>();
  #isClosed = false;

  constructor(controller: ControllerApi, clock: Clock) {
    this.#controller = controller;
    this.#clock = clock;
  }

  add(follower: Follower): void {
    this.#all.add(follower);
    this.#expected.get(follower.incarnation)?.cancel();
    this.#expected.delete(follower.incarnation);
  }

  delete(follower: Follower): void {
    const { nodeId, incarnation, hasHungUp } = follower;
    if (!this.#all.delete(follower) || this.#isClosed || hasHungUp) return;
    if ([...this.#all].some((other) => other.incarnation === incarnation)) return;
    // Who was told that this is no controller hangs up, and lives.
    if (this.#controller.status.state === "idle") return;
    const timer = this.#clock.schedule(RETURN_MS, () => {
      this.#expected.delete(incarnation);
      this.#controller.gone(nodeId, incarnation);
    });
    this.#expected.set(incarnation, timer);
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#expected.values()) timer.cancel();
    this.#expected.clear();
  }

  publish(assignment: Assignment): void {
    for (const follower of this.#all) follower.offer(assignment);
  }
}

function unary<Request, Response>(answer: (request: Request) => Response) {
  return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>): void => {
    callback(null, answer(call.request));
  };
}
