import type { Assignment, Clock, ControllerApi, Log } from "@kaas/core";
import { type ConnectPeer, grpcPeers } from "./peer-client.js";
import { PeerServer } from "./peer-server.js";
import { PeerToken } from "./peer-token.js";

/** The end of this broker that others connect to. */
export interface PeerEnd {
  /** Sends an assignment to every broker that is connected. */
  publish(assignment: Assignment): void;
  close(): void;
}

/** How brokers reach each other. */
export interface PeerNetwork {
  /**
   * Lets others report to a controller, and ask it.
   *
   * @throws KaasError KAAS_LISTENER_FAILED
   */
  listen(controller: ControllerApi): Promise<PeerEnd>;
  readonly connect: ConnectPeer;
}

export interface GrpcNetworkOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

/** By gRPC, in clear; the token tells brokers from strangers. */
export function grpcNetwork({ host, port, token }: GrpcNetworkOptions, clock: Clock, log: Log): PeerNetwork {
  const secret = new PeerToken(token);
  return {
    listen: (controller) => PeerServer.listen({ host, port, token: secret, controller, clock, log }),
    connect: grpcPeers(secret, clock),
  };
}
