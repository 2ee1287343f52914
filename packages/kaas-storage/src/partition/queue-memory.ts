/**
 * Counts the appends that wait for the disk, of all logs together: a disk may hang under any number of them.
 *
 * One log may hold as much as is still free, so that some is always left for those whose disk does not hang: of `bytesMax`
 * one gets half, two a third each, and so on.
 */
export class QueueMemory {
  readonly #bytesMax: number;
  #usedBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether a log that holds so many bytes may take so many more. */
  hasRoom(heldBytes: number, bytes: number): boolean {
    return heldBytes + bytes <= this.#bytesMax - this.#usedBytes;
  }

  /** Takes note that so many more are held, or fewer if it is negative. */
  change(bytes: number): void {
    this.#usedBytes += bytes;
  }
}
