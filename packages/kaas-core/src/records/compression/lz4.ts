import { createRequire } from "node:module";
import { type Codec, decompressionFailed, expandsBeyond } from "./codec.js";
import { lazily } from "./lazily.js";
import { lz4FrameSize } from "./lz4-frame.js";

interface Native {
  compressFrameSync(bytes: Buffer): Buffer;
  decompressFrameSync(bytes: Buffer): Buffer;
  compressFrame(bytes: Buffer): Promise<Buffer>;
  decompressFrame(bytes: Buffer): Promise<Buffer>;
}

const require = createRequire(import.meta.url);
const native = lazily(() => require("lz4-napi") as Native);

/** The LZ4 frame format, blocks independent, as Kafka's Java client requires. */
export const lz4: Codec = {
  compress: (bytes) => native().compressFrameSync(bytes),

  decompress(bytes, maxBytes) {
    checkSize(bytes, maxBytes);
    try {
      return native().decompressFrameSync(bytes);
    } catch (error) {
      throw decompressionFailed("lz4", (error as Error).message, error);
    }
  },

  compressInPool: (bytes) => native().compressFrame(bytes),

  async decompressInPool(bytes, maxBytes) {
    checkSize(bytes, maxBytes);
    try {
      return await native().decompressFrame(bytes);
    } catch (error) {
      throw decompressionFailed("lz4", (error as Error).message, error);
    }
  },
};

/** The decoder takes no limit, so the size is known before it is let loose. */
function checkSize(bytes: Buffer, maxBytes: number): void {
  if (lz4FrameSize(bytes, maxBytes) > maxBytes) throw expandsBeyond("lz4", maxBytes);
}
