import { assert } from "../../errors/kaas-error.js";
import { Compression } from "../batch.js";
import { type Codec, decompressionFailed } from "./codec.js";
import { gzip } from "./gzip.js";
import { lz4 } from "./lz4.js";
import { snappy } from "./snappy.js";
import { zstd } from "./zstd.js";

const none: Codec = { compress: (bytes) => bytes, decompress: (bytes) => bytes };

const codecs: Readonly<Record<number, Codec>> = {
  [Compression.NONE]: none,
  [Compression.GZIP]: gzip,
  [Compression.SNAPPY]: snappy,
  [Compression.LZ4]: lz4,
  [Compression.ZSTD]: zstd,
};

/**
 * Makes a codec ready for {@link compress} and {@link decompress}, which are synchronous. Only zstd on a Node older
 * than 22.15 has to be waited for, and only the first time. A number that no codec has is left to those to refuse.
 */
export async function loadCodec(codec: number): Promise<void> {
  await codecs[codec]?.load?.();
}

/** Compresses the records of a batch. */
export function compress(codec: Compression, bytes: Buffer): Buffer {
  const known = codecs[codec];
  assert(known !== undefined, `there is no compression codec ${codec}`);
  return known.compress(bytes);
}

/**
 * Expands the records of a batch to at most `maxBytes` (1 or more). What would expand further, and data that is not of
 * the codec, throws `KAAS_COMPRESSION_FAILED`. Memory stays near `maxBytes` even where the input claims otherwise.
 */
export function decompress(codec: number, bytes: Buffer, maxBytes: number): Buffer {
  const known = codecs[codec];
  if (known === undefined) throw decompressionFailed(`codec ${codec}`, "there is no such codec");
  return known.decompress(bytes, maxBytes);
}
