import type { FileHandle, FileSystem } from "../file-system/file-system.js";

const PIECE_BYTES = 1024 * 1024;

/**
 * Makes a range of a file durable that somebody else wrote: writes the same bytes again, and fsyncs them. The caller
 * has to look at the range once more: the server may have lost it before it was read here.
 *
 * An fsync alone would do nothing. What another machine wrote is not this one's to send, though it may be in no more
 * than the server's memory. And what a process of this machine wrote may be in the cache and marked clean because
 * writing it back has failed, and was reported to that process alone.
 *
 * @param reader a handle of the same file; uncached where another machine may have written it
 */
export async function rewriteRange(
  fileSystem: FileSystem,
  path: string,
  reader: FileHandle,
  from: number,
  to: number,
): Promise<void> {
  const writer = await fileSystem.open(path, "write");
  try {
    for (let position = from; position < to; ) {
      const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, to - position));
      const count = await reader.read(piece, position);
      if (count === 0) break;
      await writer.writev([piece.subarray(0, count)], position);
      position += count;
    }
    await writer.dataSync();
  } finally {
    await writer.close();
  }
}
