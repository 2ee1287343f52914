import { createRequire } from "node:module";
import * as zlib from "node:zlib";
import { assert } from "../../errors/kaas-error.js";
import { type Codec, decompressionFailed, expandsBeyond } from "./codec.js";
import { lazily } from "./lazily.js";
import { type ZstdFrame, zstdFrames } from "./zstd-frame.js";

/** What Node's zlib has from version 22.15 on. */
interface ZstdOfNode {
  zstdCompressSync(bytes: Buffer, options: { params: Record<number, number> }): Buffer;
  zstdDecompressSync(bytes: Buffer, options: { maxOutputLength: number }): Buffer;
}

/** The WebAssembly build that stands in for it on older Nodes. */
interface ZstdWasm {
  init(): Promise<void>;
  compress(bytes: Uint8Array, level?: number): Uint8Array;
  /** `defaultHeapSize` bounds the output of frames that do not say their size. */
  decompress(bytes: Uint8Array, options: { defaultHeapSize: number }): Uint8Array;
}

/** Parameters of zstd's own interface, by its numbers. */
const COMPRESSION_LEVEL = 100;
const TARGET_LENGTH = 106;

interface Engine {
  compress(bytes: Buffer, level: number | undefined): Buffer;
  /** Expands one frame to at most `maxBytes`, which is not more than what the frame can hold. */
  decompress(frame: Buffer, maxBytes: number): Buffer;
}

const require = createRequire(import.meta.url);
const wasm = lazily(() => require("@bokuweb/zstd-wasm") as ZstdWasm);

let engine: Engine | undefined = "zstdDecompressSync" in zlib ? nodeEngine(zlib as unknown as ZstdOfNode) : undefined;

/** Zstandard (RFC 8878). */
export const zstd: Codec = {
  async load() {
    if (engine !== undefined) return;
    await wasm().init();
    engine = wasmEngine(wasm());
  },

  compress: (bytes, level) => loaded().compress(bytes, level),

  decompress(bytes, maxBytes) {
    const frames = zstdFrames(bytes);
    let left = maxBytes;
    const parts = frames.map((frame) => {
      const part = decompressFrame(bytes, frame, left);
      left -= part.length;
      return part;
    });
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  },
};

function decompressFrame(bytes: Buffer, frame: ZstdFrame, maxBytes: number): Buffer {
  // Engines allocate what a frame says, so that is held against the limit first.
  if (frame.isSizeKnown ? frame.sizeMax > maxBytes : maxBytes === 0) throw expandsBeyond("zstd", maxBytes);
  try {
    return loaded().decompress(bytes.subarray(frame.start, frame.end), Math.max(1, Math.min(frame.sizeMax, maxBytes)));
  } catch (error) {
    // Neither engine tells a frame that is too large from a broken one.
    if (frame.sizeMax > maxBytes) throw expandsBeyond("zstd", maxBytes);
    throw decompressionFailed("zstd", (error as Error).message, error);
  }
}

function loaded(): Engine {
  assert(engine !== undefined, "loadCodec is awaited before zstd is used");
  return engine;
}

function nodeEngine(node: ZstdOfNode): Engine {
  return {
    compress: (bytes, level) => node.zstdCompressSync(bytes, { params: level === undefined ? {} : paramsOf(level) }),
    decompress: (frame, maxBytes) => node.zstdDecompressSync(frame, { maxOutputLength: maxBytes }),
  };
}

/**
 * Node takes a parameter of -1 for one that was left out. Negative levels differ in nothing but their target length, so
 * another one with that of -1 is the same.
 */
function paramsOf(level: number): Record<number, number> {
  return level === -1 ? { [COMPRESSION_LEVEL]: -2, [TARGET_LENGTH]: 1 } : { [COMPRESSION_LEVEL]: level };
}

function wasmEngine(module: ZstdWasm): Engine {
  const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    compress: (bytes, level) => toBuffer(module.compress(bytes, level)),
    decompress: (frame, maxBytes) => toBuffer(module.decompress(frame, { defaultHeapSize: maxBytes })),
  };
}
