/** A pending timer. */
export interface Timer {
  /** Stops it; harmless when it has fired. */
  cancel(): void;
}

/** Time, injected so that tests and the simulator own it. */
export interface Clock {
  /** Wall-clock milliseconds since 1970: record timestamps, retention. May jump. */
  now(): number;
  /** Milliseconds that never go back: timeouts, sessions. */
  monotonic(): number;
  /** Calls back once, after at least `delayMs`. Does not keep the process alive. */
  schedule(delayMs: number, callback: () => void): Timer;
}

/** Randomness, injected for the same reason. */
export interface Random {
  /** 16 random bytes as Kafka writes a UUID: 22 characters of base64url. Never the zero UUID. */
  uuid(): string;
  /** An integer in `[0, limit)`. */
  integer(limit: number): number;
}
