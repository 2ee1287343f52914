import { ClusterError } from "./cluster-error.js";

/** Largest answer that is taken; Kafka's own limit for what brokers take. */
const FRAME_BYTES_MAX = 100 * 1024 * 1024;
const LENGTH_BYTES = 4;
const EMPTY = Buffer.alloc(0);

/** Cuts what a broker sends into answers. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;

  /**
   * Takes what has come, and returns the answers that are whole now, without their lengths.
   *
   * @throws ClusterError for a length that no answer has: whoever is there is no broker, or wants TLS
   */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const frames: Buffer[] = [];
    for (;;) {
      const length = this.#nextLength();
      if (length === undefined || this.#size < LENGTH_BYTES + length) return frames;
      const all = this.#joined();
      frames.push(all.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
      this.#replace(all.subarray(LENGTH_BYTES + length));
    }
  }

  #nextLength(): number | undefined {
    if (this.#size < LENGTH_BYTES) return undefined;
    const first = (this.#chunks[0] ?? EMPTY).length < LENGTH_BYTES ? this.#joined() : (this.#chunks[0] ?? EMPTY);
    const length = first.readInt32BE(0);
    if (length >= LENGTH_BYTES && length <= FRAME_BYTES_MAX) return length;
    throw new ClusterError(describeStranger(this.#joined()));
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#replace(Buffer.concat(this.#chunks));
    return this.#chunks[0] ?? EMPTY;
  }

  #replace(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
  }
}

/** Records of TLS begin with their kind and with version 3.x: 21 is an alert, which is what a broker sends. */
function describeStranger(bytes: Buffer): string {
  if (bytes[0] === 21 && bytes[1] === 3) {
    return "it speaks TLS: give --command-config FILE with security.protocol=SSL or SASL_SSL";
  }
  return bytes.subarray(0, LENGTH_BYTES).toString("latin1") === "HTTP"
    ? "it speaks HTTP; name the port of a Kafka listener"
    : "what it answers is not Kafka's protocol; name the port of a Kafka listener";
}
