/** Fields of a log line, as pino takes them. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where kaas says what it does: the part of pino's interface that the libraries use. */
export interface Log {
  /** What is said at least, such as `info`; may be set. Undefined where that cannot be chosen. */
  level?: string;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** Says nothing; for tests and embedding. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
