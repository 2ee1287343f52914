// When the broker sent what: puts the answers that clients have into the order of the journal.
import type { AnswerPlace } from "../../lib/wire-client.js";
import type { Moment } from "../moment.js";
import type { Journal } from "./journal.js";

type Sent = { readonly index: number; readonly endByte: number };

/** A connection as the broker's process counts them, and the process by the events before it. */
type Connection = { readonly key: string; readonly sent: Sent[]; bytes: number };

export class Answers {
  readonly #byPort = new Map<number, Connection[]>();
  /** Events at which the broker began to send. */
  readonly sends: number[] = [];

  constructor(journal: Journal) {
    let life = 0;
    const running = new Map<number, { connection: Connection; index: number; length: number }>();
    const finish = (call: number, length: number): void => {
      const send = running.get(call);
      if (send === undefined) throw new Error("a send ends that has not begun");
      running.delete(call);
      send.connection.bytes += length;
      if (length > 0) send.connection.sent.push({ index: send.index, endByte: send.connection.bytes });
    };
    for (const event of journal.events()) {
      if (event.kind === "process") {
        // What was on its way when the process ended may have arrived.
        for (const [call, { length }] of running) finish(call, length);
        life++;
      }
      if (event.kind !== "send") continue;
      if (event.isBegin) {
        this.sends.push(event.index);
        const connection = this.#connection(event.a, `${life}/${event.c}`);
        running.set(event.call, { connection, index: event.index, length: event.b });
      } else finish(event.call, Math.max(0, event.a));
    }
    for (const [call, { length }] of running) finish(call, length);
  }

  #connection(port: number, key: string): Connection {
    const known = this.#byPort.get(port) ?? [];
    this.#byPort.set(port, known);
    let connection = known.find((one) => one.key === key);
    if (connection === undefined) {
      connection = { key, sent: [], bytes: 0 };
      known.push(connection);
    }
    return connection;
  }

  /**
   * The event with which the broker began to send the last byte of an answer. Of a port that had several connections it
   * is not known which: then none of its answers is relied upon.
   */
  indexOf({ port, endByte }: AnswerPlace): number {
    const connections = this.#byPort.get(port);
    if (connections === undefined) throw new Error(`nothing was sent to port ${port}`);
    const [connection] = connections;
    if (connections.length > 1 || connection === undefined) return Number.POSITIVE_INFINITY;
    const sent = connection.sent.find((one) => one.endByte >= endByte);
    if (sent === undefined) throw new Error(`byte ${endByte} to port ${port} came, and was not sent`);
    return sent.index;
  }

  /** The moment before the event of that number, when the journal was so long. */
  momentBefore(index: number, journalBytes: number): Moment {
    return {
      answered: (place) => this.indexOf(place) < index,
      asked: (mark) => mark <= journalBytes,
    };
  }
}
