import { Histogram } from "../metrics/histogram.js";

/** Index of each number in {@link ServerMetrics.counters}. All of them only grow. */
export const ServerCounter = {
  CONNECTIONS_ACCEPTED: 0,
  /** Refused for `max.connections`, `max.connections.per.ip` or a quota of `connection_creation_rate`. */
  CONNECTIONS_REFUSED: 1,
  CONNECTIONS_CLOSED: 2,
  CONNECTIONS_CLOSED_IDLE: 3,
  /** Closed because of what the client sent. */
  CONNECTIONS_CLOSED_BAD_INPUT: 4,
  BYTES_IN: 5,
  BYTES_OUT: 6,
  /** Times that reading a connection was paused, for whatever reason. */
  READS_PAUSED: 7,
  TLS_HANDSHAKES_FAILED: 8,
  /** Logins by SASL that failed, renewals of sessions among them. */
  AUTHENTICATIONS_FAILED: 9,
  /** Requests whose clients had used more than their quota, and for how long they were to wait, in milliseconds. */
  REQUESTS_THROTTLED: 10,
  THROTTLED_MS: 11,
} as const;

/** Index of one counter. */
export type ServerCounter = (typeof ServerCounter)[keyof typeof ServerCounter];

/** API keys beyond this are counted nowhere; the highest of Apache Kafka 4.4 is 94. */
const API_KEYS = 128;

/** What a server counts: plain numbers, cheap enough for the hot path. */
export class ServerMetrics {
  readonly counters: Float64Array = new Float64Array(Object.keys(ServerCounter).length);
  /** Requests started, by API key. */
  readonly requests: Float64Array = new Float64Array(API_KEYS);
  /** Requests that the server answered with an error, or could not answer, by API key: not the handlers' own errors. */
  readonly errors: Float64Array = new Float64Array(API_KEYS);

  /** Milliseconds from the start of a request to its answer, by API key; undefined before the first. */
  readonly durations: (Histogram | undefined)[] = new Array<Histogram | undefined>(API_KEYS).fill(undefined);

  add(counter: ServerCounter, amount: number): void {
    this.counters[counter] = (this.counters[counter] as number) + amount;
  }

  request(apiKey: number): void {
    this.requests[apiKey] = (this.requests[apiKey] as number) + 1;
  }

  error(apiKey: number): void {
    this.errors[apiKey] = (this.errors[apiKey] as number) + 1;
  }

  answered(apiKey: number, durationMs: number): void {
    this.durations[apiKey] ??= new Histogram();
    this.durations[apiKey].record(durationMs);
  }

  get openConnections(): number {
    const accepted = this.counters[ServerCounter.CONNECTIONS_ACCEPTED] as number;
    return accepted - (this.counters[ServerCounter.CONNECTIONS_CLOSED] as number);
  }
}
