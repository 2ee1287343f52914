/** What a process asks of a file system. */
export type Operation =
  | "open"
  | "read"
  | "write"
  | "sync"
  | "truncate"
  | "size"
  | "close"
  | "list"
  | "mkdir"
  | "rmdir"
  | "link"
  | "rename"
  | "unlink"
  | "syncDirectory"
  | "space";

/** How kind the world is to one machine. A test changes it at any time; by default nothing ever goes wrong. */
export interface Weather {
  /** Called when a process begins an operation. May kill the process or the machine. */
  before(operation: Operation, path: string): void;
  /** Milliseconds that half of an operation takes: the way there, or the way back. */
  delayMs(operation: Operation): number;
  /** Milliseconds that a synchronous write holds up the event loop. */
  stallMs(): number;
  /** The errno that an operation fails with, before anything has been done. */
  failure(operation: Operation, path: string): string | undefined;
  /** The errno that a sync fails with. What it should have made durable is lost, and not tried again. */
  syncFailure(path: string): string | undefined;
  /** Whether a change of names is made and its answer lost, so that the second try meets what the first has done. */
  losesReply(operation: Operation): boolean;
  /** Milliseconds until the kernel writes dirty data by itself; undefined when it does not. */
  writeBackMs(): number | undefined;
}

export function fairWeather(): Weather {
  return {
    before: () => undefined,
    delayMs: () => 0.1,
    stallMs: () => 0,
    failure: () => undefined,
    syncFailure: () => undefined,
    losesReply: () => false,
    writeBackMs: () => undefined,
  };
}
