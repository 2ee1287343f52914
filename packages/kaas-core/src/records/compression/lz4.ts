import { createRequire } from "node:module";
import { type Codec, decompressionFailed, expandsBeyond } from "./codec.js";
import { lazily } from "./lazily.js";
import { lz4FrameSize } from "./lz4-frame.js";
import { compressLz4High } from "./lz4-high.js";

interface Native {
  compressFrameSync(bytes: Buffer): Buffer;
  decompressFrameSync(bytes: Buffer): Buffer;
  compressFrame(bytes: Buffer): Promise<Buffer>;
  decompressFrame(bytes: Buffer): Promise<Buffer>;
}

const require = createRequire(import.meta.url);
const native = lazily(() => require("lz4-napi") as Native);

/** At this level Apache Kafka takes the quick way, too; at all others it looks for longer matches. */
const LEVEL_OF_QUICK = 9;

const isQuick = (level: number | undefined): level is undefined => level === undefined || level === LEVEL_OF_QUICK;

/** The LZ4 frame format, blocks independent, as Kafka's Java client requires. */
export const lz4: Codec = {
  compress: (bytes, level) => (isQuick(level) ? native().compressFrameSync(bytes) : compressLz4High(bytes, level)),

  decompress(bytes, maxBytes) {
    checkSize(bytes, maxBytes);
    try {
      return native().decompressFrameSync(bytes);
    } catch (error) {
      throw decompressionFailed("lz4", (error as Error).message, error);
    }
  },

  compressInPool: async (bytes, level) =>
    isQuick(level) ? native().compressFrame(bytes) : compressLz4High(bytes, level),

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
