import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type { KaasError } from "../../errors/kaas-error.js";
import { type Codec, decompressionFailed, expandsBeyond } from "./codec.js";

const gzipInPool = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip);
const gunzipInPool = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);

/** GZIP (RFC 1952), by Node's own zlib. */
export const gzip: Codec = {
  compress: (bytes, level) => zlib.gzipSync(bytes, { level: level ?? zlib.constants.Z_DEFAULT_COMPRESSION }),

  decompress(bytes, maxBytes) {
    try {
      return zlib.gunzipSync(bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      throw gunzipFailed(error, maxBytes);
    }
  },

  compressInPool: (bytes, level) => gzipInPool(bytes, { level: level ?? zlib.constants.Z_DEFAULT_COMPRESSION }),

  async decompressInPool(bytes, maxBytes) {
    try {
      return await gunzipInPool(bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      throw gunzipFailed(error, maxBytes);
    }
  },
};

function gunzipFailed(error: unknown, maxBytes: number): KaasError {
  if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return expandsBeyond("gzip", maxBytes);
  return decompressionFailed("gzip", (error as Error).message, error);
}
