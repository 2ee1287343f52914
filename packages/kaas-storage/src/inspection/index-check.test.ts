import { describe, expect, test } from "vitest";
import type { SegmentRecord } from "../documents/document-types.js";
import { writeNewFile } from "../documents/durable-files.js";
import { MemoryFileSystem } from "../file-system/memory.js";
import { OffsetIndex } from "../partition/offset-index.js";
import { Segment } from "../partition/segment.js";
import { openIndexes } from "./index-check.js";
import type { VolumeView } from "./volume-view.js";

const ENTRIES = 130;
const record = {
  epoch: 0,
  baseOffset: 0,
  indexEntries: ENTRIES,
  timeIndexEntries: -1,
} as SegmentRecord;

function written(): Buffer {
  const index = new OffsetIndex();
  for (let n = 1; n <= ENTRIES; n++) index.append(n, n * 4096);
  return index.encode();
}

async function findingsOf(bytes: Buffer) {
  const fileSystem = new MemoryFileSystem();
  await writeNewFile(fileSystem, `/${Segment.of("", record).fileName("index")}`, bytes, true);
  const view = { fileSystem } as unknown as VolumeView;
  const { findings, followed } = await openIndexes(view, "", record);
  return { codes: findings.map(({ code }) => code), followed: followed.length };
}

describe("an index that a power failure left", () => {
  test("whole is compared with its segment", async () => {
    expect(await findingsOf(written())).toEqual({ codes: [], followed: 1 });
  });

  test.each([0, 512, 1024])("without the sector at byte %i is missing, and no fault of the volume", async (at) => {
    const bytes = written();
    bytes.fill(0, at, Math.min(at + 512, bytes.length));
    expect(await findingsOf(bytes)).toEqual({ codes: ["index-missing"], followed: 0 });
  });

  test("short is missing", async () => {
    expect(await findingsOf(written().subarray(0, 512))).toEqual({ codes: ["index-missing"], followed: 0 });
  });
});
