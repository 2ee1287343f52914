import { assert } from "../../errors/kaas-error.js";
import { Compression } from "../batch.js";
import { noteBatchDecompressed } from "../decode-counts.js";
import { type Codec, decompressionFailed } from "./codec.js";
import { gzip } from "./gzip.js";
import { lz4 } from "./lz4.js";
import { snappy } from "./snappy.js";
import { zstd } from "./zstd.js";

const none: Codec = { compress: (bytes) => bytes, decompress: (bytes) => bytes };

/** How hard the codecs that have levels try, as a topic's `compression.gzip.level` and the others say it. */
export interface CompressionLevels {
  readonly gzip: number;
  readonly lz4: number;
  readonly zstd: number;
}

function levelOf(codec: number, levels: CompressionLevels | undefined): number | undefined {
  if (codec === Compression.GZIP) return levels?.gzip;
  if (codec === Compression.LZ4) return levels?.lz4;
  return codec === Compression.ZSTD ? levels?.zstd : undefined;
}

const codecs: Readonly<Record<number, Codec>> = {
  [Compression.NONE]: none,
  [Compression.GZIP]: gzip,
  [Compression.SNAPPY]: snappy,
  [Compression.LZ4]: lz4,
  [Compression.ZSTD]: zstd,
};

/**
 * Makes a codec ready for those who compress and decompress synchronously, such as `buildBatch`. Only zstd on a Node older
 * than 22.15 has to be waited for, and only the first time. A number that no codec has is left to those to refuse.
 */
export async function loadCodec(codec: number): Promise<void> {
  await codecs[codec]?.load?.();
}

/** Compresses the records of a batch; at the codecs' own levels where none are given. */
export function compress(codec: Compression, bytes: Buffer, levels?: CompressionLevels): Buffer {
  const known = codecs[codec];
  assert(known !== undefined, `there is no compression codec ${codec}`);
  return known.compress(bytes, levelOf(codec, levels));
}

/** Less than this is done before another thread would have taken it up. */
const POOL_BYTES_MIN = 64 * 1024;

/** {@link compress} for those who can wait: what is large does not hold up the event loop, except with zstd, which is quick. */
export async function compressInPool(codec: Compression, bytes: Buffer, levels?: CompressionLevels): Promise<Buffer> {
  const inPool = bytes.length < POOL_BYTES_MIN ? undefined : codecs[codec]?.compressInPool;
  return inPool === undefined ? compress(codec, bytes, levels) : inPool(bytes, levelOf(codec, levels));
}

/** {@link decompress} for those who can wait. The bytes must not change meanwhile. */
export async function decompressInPool(codec: number, bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const inPool = bytes.length < POOL_BYTES_MIN ? undefined : codecs[codec]?.decompressInPool;
  if (inPool === undefined) return decompress(codec, bytes, maxBytes);
  noteBatchDecompressed();
  return inPool(bytes, maxBytes);
}

/**
 * Expands the records of a batch to at most `maxBytes` (1 or more). What would expand further, and data that is not of
 * the codec, throws `KAAS_COMPRESSION_FAILED`. Memory stays near `maxBytes` even where the input claims otherwise.
 */
export function decompress(codec: number, bytes: Buffer, maxBytes: number): Buffer {
  const known = codecs[codec];
  if (known === undefined) throw decompressionFailed(`codec ${codec}`, "there is no such codec");
  if (codec !== Compression.NONE) noteBatchDecompressed();
  return known.decompress(bytes, maxBytes);
}
