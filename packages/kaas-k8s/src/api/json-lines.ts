/** The largest object that is taken from a stream; etcd stores none that is larger than a few MiB. */
const LINE_BYTES_MAX = 16 << 20;

/**
 * JSON values of a stream, one a line. What comes behind the last line break was cut off, and is left out.
 *
 * @throws Error for a line that is too long, or is no JSON.
 */
export async function* jsonLines(stream: AsyncIterable<Buffer>): AsyncGenerator<unknown, void> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      begun.push(chunk.subarray(start, end));
      const line = Buffer.concat(begun).toString("utf8");
      begun = [];
      begunBytes = 0;
      start = end + 1;
      if (line.trim() !== "") yield JSON.parse(line);
    }
    if (start === chunk.length) continue;
    begun.push(chunk.subarray(start));
    begunBytes += chunk.length - start;
    if (begunBytes > LINE_BYTES_MAX) throw new Error(`an event is larger than ${LINE_BYTES_MAX} bytes`);
  }
}
