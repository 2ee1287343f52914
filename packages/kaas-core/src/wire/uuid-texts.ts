/** A power of two. */
const SLOTS = 64;

/** UUIDs that were read lately, four words each, and their texts in the same places. */
const words = new Int32Array(SLOTS * 4);
const texts = new Array<string>(SLOTS).fill("AAAAAAAAAAAAAAAAAAAAAA");

/**
 * The text form of the UUID at a place. Requests name the same few topics over and over, and making a text takes
 * twenty times as long as comparing four words; that the text is the same object each time spares the maps that it is
 * looked up in the hashing.
 */
export function uuidText(buffer: Buffer, view: DataView, at: number): string {
  const [a, b, c, d] = [view.getInt32(at), view.getInt32(at + 4), view.getInt32(at + 8), view.getInt32(at + 12)];
  // UUIDs of version 4, as Kafka makes them, are random but for six bits, none of which is among the last.
  const slot = d & (SLOTS - 1);
  const first = slot * 4;
  const isKnown = words[first] === a && words[first + 1] === b && words[first + 2] === c && words[first + 3] === d;
  if (isKnown) return texts[slot] as string;
  const text = buffer.toString("base64url", at, at + 16);
  words[first] = a;
  words[first + 1] = b;
  words[first + 2] = c;
  words[first + 3] = d;
  texts[slot] = text;
  return text;
}
