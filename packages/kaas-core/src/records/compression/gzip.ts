import { gunzipSync, gzipSync } from "node:zlib";
import { type Codec, decompressionFailed, expandsBeyond } from "./codec.js";

/** GZIP (RFC 1952), by Node's own zlib. */
export const gzip: Codec = {
  compress: (bytes) => gzipSync(bytes),

  decompress(bytes, maxBytes) {
    try {
      return gunzipSync(bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw expandsBeyond("gzip", maxBytes);
      throw decompressionFailed("gzip", (error as Error).message, error);
    }
  },
};
