import { KaasError } from "../../errors/kaas-error.js";

/** One way of compressing the records of a batch, as Kafka's clients do it. */
export interface Codec {
  /** Makes the codec ready; the others work at once. Absent where nothing has to be waited for. */
  load?(): Promise<void>;
  /** `level` is one of Apache Kafka's for the codec; undefined leaves it to the codec, as does one that has no levels. */
  compress(bytes: Buffer, level?: number): Buffer;
  /** Never allocates much more than `maxBytes`, whatever the input claims. */
  decompress(bytes: Buffer, maxBytes: number): Buffer;
  /** The same on the thread pool, for what is large and not urgent. Absent where the codec runs on this thread only. */
  compressInPool?(bytes: Buffer, level?: number): Promise<Buffer>;
  decompressInPool?(bytes: Buffer, maxBytes: number): Promise<Buffer>;
}

/** The error of data that cannot be expanded. */
export function decompressionFailed(codec: string, reason: string, cause?: unknown): KaasError {
  return new KaasError("KAAS_COMPRESSION_FAILED", `${codec} data cannot be expanded: ${reason}`, { cause });
}

/** The error of data that would expand beyond what the caller allows. */
export function expandsBeyond(codec: string, maxBytes: number): KaasError {
  return decompressionFailed(codec, `it expands to more than ${maxBytes} bytes`);
}
