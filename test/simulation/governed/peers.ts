import type { Assignment, ControllerApi } from "@kaas/core";
import type { Peer, PeerListener } from "../../../apps/broker/src/control/peers/peer-client.js";
import { Channel, type Host, type Network } from "./network.js";

/** A process that other brokers connect to. */
export interface PeerHost extends Host {
  readonly incarnation: string;
  readonly controller: ControllerApi;
}

/** Connections between brokers: reports one way; answers, and assignments as they are published, the other. */
export class Peers {
  readonly #network: Network;
  readonly #hosts = new Map<string, PeerHost>();
  readonly #streams = new Map<string, Set<(assignment: Assignment) => void>>();

  constructor(network: Network) {
    this.#network = network;
  }

  /** From now on the process can be reached, by its incarnation. */
  listen(host: PeerHost): void {
    this.#hosts.set(host.incarnation, host);
    this.#streams.set(host.incarnation, new Set());
  }

  isKnown(incarnation: string): boolean {
    return this.#hosts.has(incarnation);
  }

  /** Sends an assignment to everybody who is connected to its controller. */
  publish(from: PeerHost, assignment: Assignment): void {
    for (const push of this.#streams.get(from.incarnation) ?? []) push(assignment);
  }

  connect(from: Host, incarnation: string, listener: PeerListener): Peer {
    const to = this.#hosts.get(incarnation);
    if (to === undefined) throw new Error(`nobody listens as ${incarnation}`);
    let isOver = false;
    const end = (): void => {
      if (isOver || !from.process.isAlive) return;
      close();
      from.process.turn(0, () => listener.ended("refused"));
    };
    const up = new Channel(this.#network, from, to, end);
    const down = new Channel(this.#network, to, from, () => undefined);
    const push = (assignment: Assignment): void => down.send(() => listener.assigned(assignment));
    const close = (): void => {
      isOver = true;
      up.close();
      down.close();
      this.#streams.get(incarnation)?.delete(push);
    };
    return {
      report: (report) =>
        up.send(() => {
          this.#streams.get(incarnation)?.add(push);
          const answer = to.controller.hear(report);
          down.send(() => listener.answered(answer));
        }),
      reassign: nobodyAsks,
      elect: nobodyAsks,
      moves: nobodyAsks,
      close,
    };
  }
}

function nobodyAsks(): never {
  throw new Error("nobody wishes for leaders here");
}
