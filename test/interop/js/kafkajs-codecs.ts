// The codecs that kafkajs asks its user for, from packages that are not kaas's own code.
import kafkajs from "kafkajs";
import { compressFrame, decompressFrame } from "lz4-napi";
import snappy from "snappy";
import { compress, decompress, init } from "@bokuweb/zstd-wasm";

const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);

/** The Java client frames snappy in blocks, others send it bare. */
async function snappyDecompress(data: Buffer): Promise<Buffer> {
  if (!data.subarray(0, 8).equals(xerialMagic)) return (await snappy.uncompress(data)) as Buffer;
  const blocks: Buffer[] = [];
  for (let at = 16; at < data.length; ) {
    const length = data.readInt32BE(at);
    blocks.push((await snappy.uncompress(data.subarray(at + 4, at + 4 + length))) as Buffer);
    at += 4 + length;
  }
  return Buffer.concat(blocks);
}

type Encoder = { readonly buffer: Buffer };

export async function registerCodecs(): Promise<void> {
  await init();
  const { CompressionTypes, CompressionCodecs } = kafkajs;
  CompressionCodecs[CompressionTypes.Snappy] = () => ({
    compress: (encoder: Encoder) => snappy.compress(encoder.buffer),
    decompress: snappyDecompress,
  });
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: (encoder: Encoder) => compressFrame(encoder.buffer),
    decompress: (data: Buffer) => decompressFrame(data),
  });
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: async (encoder: Encoder) => Buffer.from(compress(encoder.buffer)),
    decompress: async (data: Buffer) => Buffer.from(decompress(data)),
  });
}
