import { beforeEach, expect, test } from "vitest";
import type { LogState } from "../documents/document-types.js";
import { encodeDocument } from "../documents/documents.js";
import { claimFile } from "../documents/durable-files.js";
import { epochFileName } from "../leadership/epoch-names.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { TestRandom } from "../testing/test-clock.js";
import { findHome } from "./find-home.js";

const DIRECTORIES = new Map<string | null, string>([
  [null, "/data"],
  ["fast", "/fast"],
]);
const STATE: LogState = {
  logStartOffset: 0,
  endOffset: 3,
  segments: [],
  epochs: [],
  producers: { offset: 0, snapshot: null },
};

let fileSystem: LosingFileSystem;
const home = () => findHome(fileSystem, (name) => DIRECTORIES.get(name), null);

beforeEach(async () => {
  fileSystem = new LosingFileSystem();
  for (const path of DIRECTORIES.values()) await fileSystem.makeDirectory(path);
});

async function make(directory: string, kind: "seal" | "moved", epoch: number, content: Buffer): Promise<void> {
  const files = { fileSystem, random: new TestRandom(epoch) };
  await claimFile(files, directory, epochFileName(epoch, kind), content);
}

const seal = (directory: string, epoch: number) =>
  make(directory, "seal", epoch, encodeDocument("seal", { epoch, ...STATE }));
const sealThatItWent = (epoch: number, since: number) =>
  make("/data", "seal", epoch, encodeDocument("seal", { epoch, movedTo: { logDirectory: "fast", since }, ...STATE }));
const note = (epoch: number) => make("/data", "moved", epoch, encodeDocument("moved", { epoch }));

test("a partition that went counts as there once that is noted", async () => {
  await seal("/data", 1);
  await sealThatItWent(2, 2);
  expect(await home()).toEqual({ logDirectory: null });
  await note(2);
  expect(await home()).toMatchObject({ logDirectory: "fast", arrival: { movedTo: { since: 2 } } });
  await seal("/fast", 3);
  expect(await home()).toEqual({ logDirectory: "fast" });
});

// Whoever comes while others claim too seals once more that it went, over what those may seal yet.
test("a partition that went is followed although that was sealed again", async () => {
  await sealThatItWent(2, 2);
  await sealThatItWent(4, 2);
  expect(await home()).toEqual({ logDirectory: null });
  await note(2);
  expect(await home()).toMatchObject({ logDirectory: "fast", arrival: { movedTo: { since: 2 } } });
  await seal("/fast", 3);
  expect(await home()).toEqual({ logDirectory: "fast" });
});

test("a partition that came back is at home, whatever was sealed before", async () => {
  await sealThatItWent(2, 2);
  await sealThatItWent(4, 2);
  await note(2);
  await seal("/fast", 3);
  await seal("/data", 6);
  expect(await home()).toEqual({ logDirectory: null });
});
