import { Socket } from "node:net";

/** Enough for what a busy client sends between two turns of the event loop. */
const READ_BYTES: number = 256 * 1024;
/** What may arrive while nobody wants it; reading stops after that. Until then the end of a connection is noticed. */
const UNWANTED_BYTES_MAX: number = 64 * 1024;

/** A socket that is read. Both callbacks are set before the event loop goes on. */
export interface SocketReader {
  readonly socket: Socket;
  /** The bytes are the callee's until it returns. Not called between {@link pause} and {@link resume}. */
  onBytes: (chunk: Buffer) => void;
  /** The other side has closed, and has had all of its bytes taken. */
  onEnd: () => void;
  pause(): void;
  resume(): void;
}

/** What Node keeps of a connection of the operating system, as far as it is used here. */
interface Handle {
  useUserBuffer?: (buffer: Uint8Array) => void;
}

interface HandleHolder {
  _handle: Handle | null;
}

/**
 * Has all sockets read into one buffer. Node makes a new buffer of 64 KiB for each read otherwise, which under load is
 * as much garbage as there is data.
 *
 * Node offers this (`onread`) to those who open a socket, not to those who accept one, so an accepted connection is
 * moved into a socket that was made for it. Where that is not possible, it is read in the usual way.
 */
export class SharedReads {
  readonly #buffer: Buffer = Buffer.allocUnsafeSlow(READ_BYTES);

  /** Takes over a socket that was just accepted, and which is not to be used any more. */
  adopt(accepted: Socket): SocketReader {
    const handle = takeHandle(accepted);
    return handle === undefined ? new OrdinaryReader(accepted) : new SharedReader(handle, this.#buffer);
  }
}

class SharedReader implements SocketReader {
  readonly socket: Socket;
  onBytes: (chunk: Buffer) => void = () => undefined;
  onEnd: () => void = () => undefined;
  #isPaused = false;
  /** What came while nobody wanted it. */
  #unwanted: Buffer[] = [];
  #unwantedBytes = 0;
  #hasEnded = false;

  constructor(handle: Handle, buffer: Buffer) {
    const onread = {
      buffer,
      callback: (size: number): boolean => {
        this.#received(buffer.subarray(0, size));
        return true;
      },
    };
    // Half open, since Node would close our side at once, while there may be requests that nobody has taken yet.
    const options = { handle, onread, allowHalfOpen: true };
    // Node's declarations know `onread` for connecting sockets only, and `handle` not at all.
    this.socket = new Socket(options);
    this.socket.on("end", () => {
      this.#hasEnded = true;
      if (this.#unwanted.length === 0) this.#end();
    });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#unwanted.length === 0) this.socket.resume();
    else process.nextTick(() => this.#deliver());
  }

  #end(): void {
    this.onEnd();
    this.socket.end();
  }

  #received(chunk: Buffer): void {
    if (!this.#isPaused && this.#unwanted.length === 0) {
      this.onBytes(chunk);
      return;
    }
    this.#unwanted.push(Buffer.from(chunk));
    this.#unwantedBytes += chunk.length;
    if (this.#unwantedBytes >= UNWANTED_BYTES_MAX) this.socket.pause();
  }

  #deliver(): void {
    while (!this.#isPaused) {
      const chunk = this.#unwanted.shift();
      if (chunk === undefined) {
        this.socket.resume();
        if (this.#hasEnded) this.#end();
        return;
      }
      this.#unwantedBytes -= chunk.length;
      this.onBytes(chunk);
    }
  }
}

class OrdinaryReader implements SocketReader {
  readonly socket: Socket;
  onBytes: (chunk: Buffer) => void = () => undefined;
  onEnd: () => void = () => undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => this.onBytes(chunk));
    socket.on("end", () => this.onEnd());
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }
}

/** Leaves the socket without its connection; undefined where it cannot be taken out. */
function takeHandle(socket: Socket): Handle | undefined {
  const holder = socket as unknown as HandleHolder;
  const handle = holder._handle;
  if (typeof handle?.useUserBuffer !== "function") return undefined;
  holder._handle = null;
  socket.destroy();
  return handle;
}
