// Tells the library faults.c, loaded into a broker, what is to fail or hang.
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { constants } from "node:os";

const RULES = 32;
const RULE_BYTES = 256;
const PATH_AT = 20;

/** Bits of faults.c. */
const CALLS = {
  open: 1,
  openForWriting: 2,
  read: 4,
  write: 8,
  truncate: 16,
  sync: 32,
  names: 64,
  space: 128,
} as const;

export type Call = keyof typeof CALLS;

/** All that changes a file system. */
export const CHANGES: readonly Call[] = ["openForWriting", "write", "truncate", "sync", "names"];

export type Fault = {
  readonly calls: readonly Call[];
  /** What the path of the file must contain. */
  readonly path: string;
  /** The errno; undefined: the call hangs until the fault is lifted. */
  readonly error?: "EIO" | "ENOSPC" | "EROFS" | "EMFILE";
  /** How many calls; all by default. */
  readonly times?: number;
};

export class InjectedFault {
  readonly #file: number;
  readonly #at: number;

  constructor(file: number, index: number, { calls, path, error, times = -1 }: Fault) {
    this.#file = file;
    this.#at = index * RULE_BYTES;
    const rule = Buffer.alloc(RULE_BYTES);
    rule.writeUInt32LE(
      calls.reduce((bits, call) => bits | CALLS[call], 0),
      4,
    );
    rule.writeInt32LE(error === undefined ? 0 : constants.errno[error], 8);
    rule.writeInt32LE(times, 12);
    if (PATH_AT + rule.write(path, PATH_AT) >= RULE_BYTES) throw new Error(`${path} is too long`);
    writeSync(file, rule, 0, RULE_BYTES, this.#at);
    this.#setState(1);
  }

  /** How many calls it was applied to. */
  get hits(): number {
    const bytes = Buffer.alloc(4);
    readSync(this.#file, bytes, 0, 4, this.#at + 16);
    return bytes.readUInt32LE();
  }

  /** Calls that hang go on. */
  lift(): void {
    this.#setState(0);
  }

  #setState(state: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(state);
    writeSync(this.#file, bytes, 0, 4, this.#at);
  }
}

export class FaultFile {
  readonly path: string;
  readonly #file: number;
  #count = 0;

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "wx+");
    writeSync(this.#file, Buffer.alloc(RULES * RULE_BYTES));
  }

  inject(fault: Fault): InjectedFault {
    if (this.#count === RULES) throw new Error(`${RULES} faults at most`);
    return new InjectedFault(this.#file, this.#count++, fault);
  }

  close(): void {
    closeSync(this.#file);
  }
}
