/** Bytes that grow. What was never written reads as zeros. */
export class Bytes {
  #buffer: Buffer = Buffer.alloc(0);
  size = 0;

  write(bytes: Buffer, position: number): void {
    this.#reserve(position + bytes.length);
    bytes.copy(this.#buffer, position);
    this.size = Math.max(this.size, position + bytes.length);
  }

  /** Fills `into` from `position`; answers how much there was. */
  read(into: Buffer, position: number): number {
    const count = Math.max(0, Math.min(into.length, this.size - position));
    return count === 0 ? 0 : this.#buffer.copy(into, 0, position, position + count);
  }

  /** A copy of `[from, to)`, cut off at the end. */
  slice(from: number, to: number): Buffer {
    return Buffer.from(this.#buffer.subarray(from, Math.max(from, Math.min(to, this.size))));
  }

  resize(size: number): void {
    if (size > this.size) this.#reserve(size);
    else this.#buffer.fill(0, size, this.size);
    this.size = size;
  }

  copy(): Bytes {
    const copied = new Bytes();
    copied.#buffer = Buffer.from(this.#buffer.subarray(0, this.size));
    copied.size = this.size;
    return copied;
  }

  #reserve(size: number): void {
    if (size <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.max(512, size, this.#buffer.length * 2));
    this.#buffer.copy(larger);
    this.#buffer = larger;
  }
}
