import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { values } from "../testing/batches.js";
import { openTestVolume } from "../testing/open-test-volume.js";
import { OffsetIndex } from "./offset-index.js";

describe("an offset index", () => {
  // Both are in the files of volumes: Apache Kafka's way, and that of earlier versions.
  test.each(["last", "first"] as const)("whose entries name a batch's %s offset leads to each offset", (named) => {
    const sizes = fc.array(fc.record({ records: fc.integer({ min: 1, max: 9 }), isIndexed: fc.boolean() }), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(sizes, (batches) => {
        const index = new OffsetIndex();
        const positions: number[] = [];
        for (const [number, { records, isIndexed }] of batches.entries()) {
          const first = positions.length;
          const position = number * 100;
          if (isIndexed && number > 0) index.append(named === "last" ? first + records - 1 : first, position);
          for (let left = records; left > 0; left--) positions.push(position);
        }
        const read = OffsetIndex.decode(index.encode(), batches.length * 100);
        for (const [offset, position] of positions.entries()) {
          const found = read?.positionFor(offset);
          expect(found).toBeLessThanOrEqual(position);
          const isLast = positions[offset + 1] !== position;
          if (isLast && position > 0 && batches[position / 100]?.isIndexed) expect(found).toBe(position);
        }
      }),
    );
  });

  test("names the last offset of the batch that begins at a position, and the time index that of the batch with a time", async () => {
    const fileSystem = new MemoryFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ indexIntervalBytes: 1 });
    const batches = [["a", "b"], ["c", "d", "e"], ["f"]].map((texts) => values(texts));
    for (const one of batches) await log.append(one, -1);
    const position = (batches[0] as Buffer).length;
    await volume.close();
    const directory = "/data/t/0";
    const names = (await fileSystem.list(directory)).map(({ name }) => name);
    const contentOf = (kind: string) =>
      fileSystem.readFile(`${directory}/${names.find((name) => name.endsWith(kind))}`);
    const bytes = await contentOf(".index");
    const entries = [0, 8].map((at) => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]);
    const times = await contentOf(".timeindex");
    expect([times.length, times.readUInt32BE(8)]).toEqual([12, 1]);
    expect(entries).toEqual([
      [4, position],
      [5, position + (batches[1] as Buffer).length],
    ]);
  });
});
