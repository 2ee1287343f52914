const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/** The 32-bit hash that Kafka's clients partition keys with, as a signed number. */
export function murmur2(bytes: Uint8Array): number {
  const size = bytes.length;
  let hash = SEED ^ size;
  const wordsEnd = size & ~3;
  for (let at = 0; at < wordsEnd; at += 4) {
    let word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    word = Math.imul(word, MULTIPLIER);
    word ^= word >>> 24;
    word = Math.imul(word, MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ word;
  }
  for (let at = size - 1; at >= wordsEnd; at--) hash ^= (bytes[at] as number) << ((at & 3) * 8);
  if (wordsEnd !== size) hash = Math.imul(hash, MULTIPLIER);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, MULTIPLIER);
  hash ^= hash >>> 15;
  return hash | 0;
}

/** The coordinator slot of a group or transactional id. Part of the volume's format: it must never change. */
export function slotOf(id: string, slotCount: number): number {
  return (murmur2(Buffer.from(id)) & 0x7fff_ffff) % slotCount;
}
