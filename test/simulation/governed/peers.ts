import type { Assignment, ControllerApi, Timer } from "@kaas/core";
import type { Peer, PeerListener } from "../../../apps/broker/src/control/peers/peer-client.js";
import type { PeerEnd, PeerNetwork } from "../../../apps/broker/src/control/peers/peer-network.js";
import { RETURN_MS } from "../../../apps/broker/src/control/peers/peer-server.js";
import { Channel, type Host, type Network } from "./network.js";
import type { Life } from "./promises.js";

/** A process that others connect to. */
interface End {
  readonly host: Host;
  readonly controller: ControllerApi;
  readonly followers: Set<Connection>;
  /** Whose connection is over, and who may come back. */
  readonly expected: Map<string, Timer>;
  isOver: boolean;
}

/** Connections between brokers: reports one way; answers, and assignments as they are published, the other. */
export class Peers {
  readonly network: Network;
  /** Told of what each controller publishes. */
  readonly #published: (assignment: Assignment, by: Life) => void;
  readonly #ends = new Map<string, End>();
  readonly #connections = new Set<Connection>();
  /** Machines that lose power at the moment: they say no farewell. */
  readonly #powerless = new Set<string>();

  constructor(network: Network, published: (assignment: Assignment, by: Life) => void) {
    this.network = network;
    this.#published = published;
  }

  /** As one process sees it that others find at an address. */
  of(host: Life, address: string): PeerNetwork {
    return {
      listen: async (controller) => this.#listen(host, address, controller),
      connect: (to, listener) => this.#connect(host, to, listener),
    };
  }

  /** Runs what ends processes on a machine that has no time to close anything. */
  withoutFarewell(hostName: string, end: () => void): void {
    this.#powerless.add(hostName);
    end();
    this.#powerless.delete(hostName);
  }

  #listen(host: Life, address: string, controller: ControllerApi): PeerEnd {
    const end: End = { host, controller, followers: new Set(), expected: new Map(), isOver: false };
    this.#ends.set(address, end);
    const close = (): void => {
      end.isOver = true;
      for (const timer of end.expected.values()) timer.cancel();
      if (this.#ends.get(address) === end) this.#ends.delete(address);
      for (const connection of this.#connections) if (connection.end === end) this.#reset(connection);
    };
    host.process.onDeath(close);
    return {
      publish: (assignment) => {
        this.#published(assignment, host);
        for (const follower of end.followers) follower.offer(assignment);
      },
      close,
    };
  }

  #connect(from: Host, address: string, listener: PeerListener): Peer {
    const end = this.#ends.get(address);
    if (end === undefined) {
      const travelMs = this.network.travelMs(from.hostName);
      if (travelMs !== undefined) from.process.turn(travelMs, () => listener.ended("refused"));
      return peer(
        () => undefined,
        () => undefined,
      );
    }
    const connection = new Connection(this.network, from, end, listener);
    this.#connections.add(connection);
    const close = (): void => {
      if (!this.#connections.delete(connection)) return;
      connection.close();
      if (!this.#powerless.has(from.hostName)) this.#farewell(connection);
    };
    from.process.onDeath(close);
    const hangUp = (): void => {
      if (this.#connections.delete(connection)) connection.hangUp();
    };
    return peer((report) => connection.report(report), close, hangUp);
  }

  /** The client has closed it. */
  #farewell(connection: Connection): void {
    const { end, from } = connection;
    const travelMs = this.network.travelMs(from.hostName, end.host.hostName);
    if (travelMs !== undefined) end.host.process.turn(travelMs, () => dropped(connection));
  }

  /** The server has closed it. */
  #reset(connection: Connection): void {
    const { end, from } = connection;
    this.#connections.delete(connection);
    connection.close();
    if (this.#powerless.has(end.host.hostName)) return;
    const travelMs = this.network.travelMs(from.hostName, end.host.hostName);
    if (travelMs !== undefined) from.process.turn(travelMs, () => connection.listener.ended("reset"));
  }
}

/** One connection, with both of its ends. */
class Connection {
  readonly end: End;
  readonly from: Host;
  readonly listener: PeerListener;
  /** Who was heard over it. */
  heard: { readonly nodeId: number; readonly incarnation: string } | undefined;
  readonly #up: Channel;
  readonly #down: Channel;
  #told: Assignment | undefined;
  #isOver = false;

  constructor(network: Network, from: Host, end: End, listener: PeerListener) {
    this.from = from;
    this.end = end;
    this.listener = listener;
    this.#up = new Channel(network, from, end.host, () => this.#refused());
    this.#down = new Channel(network, end.host, from, () => undefined);
  }

  report(report: Parameters<Peer["report"]>[0]): void {
    this.#up.send(() => {
      const { controller, followers, expected, isOver } = this.end;
      if (isOver) return this.#refused();
      const answer = controller.hear(report);
      this.heard = { nodeId: report.nodeId, incarnation: report.incarnation };
      this.#down.send(() => this.#tell(() => this.listener.answered(answer)));
      if (answer.verdict === "not-controller") return;
      followers.add(this);
      expected.get(report.incarnation)?.cancel();
      expected.delete(report.incarnation);
      if (controller.assignment !== undefined) this.offer(controller.assignment);
    });
  }

  offer(assignment: Assignment): void {
    if (assignment === this.#told) return;
    this.#told = assignment;
    this.#down.send(() => this.#tell(() => this.listener.assigned(assignment)));
  }

  /** The client lives, and goes on elsewhere: the server takes it off its list when it hears so, and expects nobody. */
  hangUp(): void {
    this.#isOver = true;
    this.#down.close();
    this.#up.send(() => this.end.followers.delete(this));
  }

  close(): void {
    this.#isOver = true;
    this.#up.close();
    this.#down.close();
  }

  #tell(what: () => void): void {
    if (!this.#isOver) what();
  }

  #refused(): void {
    if (!this.from.process.isAlive) return;
    this.from.process.turn(0, () => this.#tell(() => this.listener.ended("refused")));
  }
}

/** A connection is over, as the server sees that: its client is given a moment to come back. */
function dropped(connection: Connection): void {
  const { end, heard } = connection;
  const { followers, controller, host, expected } = end;
  if (!followers.delete(connection) || heard === undefined || end.isOver) return;
  const { nodeId, incarnation } = heard;
  if ([...followers].some((other) => other.heard?.incarnation === incarnation)) return;
  if (controller.status.state === "idle") return;
  const timer = host.process.clock.schedule(RETURN_MS, () => {
    expected.delete(incarnation);
    controller.gone(nodeId, incarnation);
  });
  expected.set(incarnation, timer);
}

function peer(report: Peer["report"], close: () => void, hangUp: () => void = close): Peer {
  return { report, hangUp, close, reassign: nobodyAsks, elect: nobodyAsks, moves: nobodyAsks };
}

function nobodyAsks(): never {
  throw new Error("nobody wishes for leaders here");
}
