import type { Clock, ControllerApi, Timer } from "@kaas/core";
import type { Peer, PeerListener } from "../../src/control/peers/peer-client.js";
import type { PeerEnd, PeerNetwork } from "../../src/control/peers/peer-network.js";
import { RETURN_MS } from "../../src/control/peers/peer-server.js";

interface Connection {
  readonly from: string;
  readonly listener: PeerListener;
  heard: { readonly nodeId: number; readonly incarnation: string } | undefined;
}

interface End {
  readonly controller: ControllerApi;
  readonly clock: Clock;
  readonly connections: Set<Connection>;
  readonly expected: Map<string, Timer>;
}

/** Connections between processes that a test can end, cut, and let stand still. Processes are named by their address. */
export class MemoryNetwork {
  readonly #ends = new Map<string, End>();
  readonly #stopped = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #cut = new Set<string>();

  /** As one process sees it. */
  of(address: string, clock: Clock): PeerNetwork {
    return {
      listen: async (controller) => this.#listen(address, controller, clock),
      connect: (to, listener) => this.#connect(address, to, listener),
    };
  }

  /** The process at an address ends: the kernel closes what it had open. */
  end(address: string): void {
    this.#ended.add(address);
    const end = this.#ends.get(address);
    this.#ends.delete(address);
    for (const { listener } of end?.connections ?? []) listener.ended("connection reset");
    for (const other of this.#ends.values()) {
      for (const connection of other.connections) if (connection.from === address) drop(other, connection);
    }
  }

  /** The process at an address stands still: its connections stay, and nothing comes over them. */
  stop(address: string): void {
    this.#stopped.add(address);
  }

  resume(address: string): void {
    this.#stopped.delete(address);
  }

  /** Connections between two processes are reset, and none is made until they are mended. */
  cut(one: string, other: string): void {
    this.#cut.add(`${one} ${other}`).add(`${other} ${one}`);
    for (const [from, to] of [
      [one, other],
      [other, one],
    ]) {
      const end = this.#ends.get(to ?? "");
      for (const connection of end?.connections ?? []) {
        if (connection.from !== from || end === undefined) continue;
        drop(end, connection);
        connection.listener.ended("connection reset");
      }
    }
  }

  mend(): void {
    this.#cut.clear();
  }

  #listen(address: string, controller: ControllerApi, clock: Clock): PeerEnd {
    const end: End = { controller, clock, connections: new Set(), expected: new Map() };
    this.#ends.set(address, end);
    return {
      publish: (assignment) => {
        for (const { listener, from } of end.connections) {
          if (!this.#stopped.has(from)) queueMicrotask(() => listener.assigned(assignment));
        }
      },
      close: () => this.end(address),
    };
  }

  #connect(from: string, to: string, listener: PeerListener): Peer {
    const end = this.#ends.get(to);
    const connection: Connection = { from, listener, heard: undefined };
    if (this.#ended.has(from)) return peer(() => undefined);
    if (end === undefined || this.#cut.has(`${from} ${to}`)) {
      queueMicrotask(() => listener.ended("connection refused"));
      return peer(() => undefined);
    }
    end.connections.add(connection);
    return peer(
      (report) => {
        if (this.#stopped.has(to) || this.#stopped.has(from) || !end.connections.has(connection)) return;
        const answer = end.controller.hear(report);
        connection.heard = { nodeId: report.nodeId, incarnation: report.incarnation };
        end.expected.get(report.incarnation)?.cancel();
        queueMicrotask(() => {
          listener.answered(answer);
          const { assignment } = end.controller;
          if (answer.verdict !== "not-controller" && assignment !== undefined) listener.assigned(assignment);
        });
      },
      () => drop(end, connection),
      () => end.connections.delete(connection),
    );
  }
}

/** The end of a connection, as the broker at the other end of it sees that. */
function drop(end: End, connection: Connection): void {
  const { heard } = connection;
  if (!end.connections.delete(connection) || heard === undefined) return;
  const { nodeId, incarnation } = heard;
  end.expected.set(
    incarnation,
    end.clock.schedule(RETURN_MS, () => end.controller.gone(nodeId, incarnation)),
  );
}

function peer(report: Peer["report"], close: () => void = () => undefined, hangUp: () => void = close): Peer {
  const unasked = (): never => {
    throw new Error("nobody asks that here");
  };
  return { report, hangUp, close, reassign: unasked, elect: unasked, moves: unasked };
}
