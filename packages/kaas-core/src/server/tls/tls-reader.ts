import type { TLSSocket } from "node:tls";
import type { SocketReader } from "../shared-reads.js";

/** Reads what a TLS connection has decrypted. */
export class TlsReader implements SocketReader {
  readonly socket: TLSSocket;
  onBytes: (chunk: Buffer) => void = () => undefined;
  onEnd: () => void = () => undefined;

  constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => this.onBytes(chunk));
    // Half open: there may be requests that nobody has taken yet.
    socket.on("end", () => {
      this.onEnd();
      socket.end();
    });
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }
}
