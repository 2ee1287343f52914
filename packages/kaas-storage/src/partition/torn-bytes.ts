import type { FileHandle } from "../file-system/file-system.js";

const PIECE_BYTES = 1024 * 1024;

/** How far the bytes behind the last valid batch are anything but zeros written ahead. */
export async function countTornBytes(handle: FileHandle, from: number, to: number): Promise<number> {
  const piece = Buffer.allocUnsafeSlow(Math.max(1, Math.min(PIECE_BYTES, to - from)));
  let torn = 0;
  for (let position = from; position < to; ) {
    const filled = await handle.read(piece.subarray(0, Math.min(piece.length, to - position)), position);
    if (filled === 0) break;
    let last = filled - 1;
    while (last >= 0 && piece[last] === 0) last--;
    if (last >= 0) torn = position + last + 1 - from;
    position += filled;
  }
  return torn;
}
