/** Damages a volume on the disk, in ways that disks, people and defects do. Each says which file it damaged. */
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FindingCode } from "@kaas/storage";

/** What was done, and what is to be found. */
export interface Planted {
  readonly code: FindingCode;
  readonly file: string;
}

/** Faults by name. Each takes a volume as `makeVolume` makes it. */
export const faults: Readonly<Record<string, (volume: string) => Planted>> = {
  "a flipped byte in the middle of a log": (volume) => {
    const file = segmentsOf(volume, "orders/0")[1] as string;
    // In the records of the second batch: what comes first in a header is not covered by the checksum.
    flip(file, readFileSync(file).readInt32BE(8) + 12 + 80);
    return { code: "batch-damaged", file };
  },
  "a flipped byte in the offset of a batch": (volume) => {
    const file = segmentsOf(volume, "orders/0")[1] as string;
    flip(file, readFileSync(file).readInt32BE(8) + 12 + 7);
    return { code: "offsets-not-dense", file };
  },
  "a length field that says nonsense": (volume) => {
    const file = segmentsOf(volume, "orders/0")[0] as string;
    flip(file, 8);
    return { code: "batch-damaged", file };
  },
  "a segment cut below its sealed length": (volume) => {
    const file = segmentsOf(volume, "orders/1")[0] as string;
    truncateSync(file, statSync(file).size - 10);
    return { code: "segment-short", file };
  },
  "a sealed segment deleted": (volume) => {
    const file = segmentsOf(volume, "orders/0")[2] as string;
    rmSync(file);
    return { code: "segment-missing", file };
  },
  "an offset index corrupted": (volume) => {
    const file = indexOf(volume, "orders/0", "index");
    flip(file, 7);
    return { code: "index-wrong", file };
  },
  "a time index corrupted": (volume) => {
    const file = indexOf(volume, "orders/0", "timeindex");
    flip(file, 7);
    return { code: "index-wrong", file };
  },
  "an index of aborted transactions corrupted": (volume) => {
    const file = indexOf(volume, "payments/0", "txnindex");
    flip(file, 25);
    return { code: "index-wrong", file };
  },
  "an index of aborted transactions deleted": (volume) => {
    const file = indexOf(volume, "payments/0", "txnindex");
    rmSync(file);
    return { code: "index-wrong", file };
  },
  "an offset index deleted": (volume) => {
    const file = indexOf(volume, "orders/0", "index");
    rmSync(file);
    return { code: "index-missing", file };
  },
  "a seal that is no JSON": (volume) => {
    const file = join(volume, "orders/0/00000000.seal");
    writeFileSync(file, readFileSync(file, "utf8").slice(0, -20));
    return { code: "json-unreadable", file };
  },
  "a seal deleted": (volume) => {
    const file = join(volume, "orders/0/00000000.seal");
    rmSync(file);
    return { code: "seal-missing", file };
  },
  "the newest manifest deleted": (volume) => {
    openSegmentAgain(volume);
    const file = filesIn(join(volume, "orders/1"), ".manifest.json").at(-1) as string;
    rmSync(file);
    return { code: "manifest-missing", file };
  },
  "a claim deleted": (volume) => {
    const file = join(volume, "orders/1/00000000.claim");
    rmSync(file);
    return { code: "claim-missing", file };
  },
  "a document that lacks a field": (volume) => {
    const file = join(volume, "orders/1/00000000.released");
    edit(file, (document) => ({ ...document, segments: undefined }));
    return { code: "document-invalid", file };
  },
  "a document that describes a segment wrongly": (volume) => {
    edit(join(volume, "orders/1/00000000.released"), (document) => {
      const segments = document["segments"] as Record<string, unknown>[];
      return { ...document, segments: segments.map((one, at) => (at === 1 ? { ...one, maxTimestamp: 1 } : one)) };
    });
    return { code: "segment-misdescribed", file: segmentsOf(volume, "orders/1")[1] as string };
  },
  "a document that leaves a segment out": (volume) => {
    const file = join(volume, "orders/1/00000000.released");
    edit(file, (document) => {
      const segments = document["segments"] as unknown[];
      return { ...document, segments: segments.filter((_, at) => at !== 1) };
    });
    return { code: "segments-not-dense", file };
  },
  "a newer format of the cluster's document": (volume) => {
    const file = join(volume, "__cluster/cluster.json");
    edit(file, (document) => ({ ...document, format: 99 }));
    return { code: "format-unknown", file };
  },
  "the cluster's document deleted": (volume) => {
    const file = join(volume, "__cluster/cluster.json");
    rmSync(file);
    return { code: "cluster-missing", file };
  },
  "a damaged line in the middle of a slot's journal": (volume) => {
    const file = journalOf(volume);
    const lines = readFileSync(file, "utf8").split("\n");
    lines[4] = (lines[4] ?? "").replace('"commit"', '"comm1t"');
    writeFileSync(file, lines.join("\n"));
    return { code: "journal-damaged", file };
  },
  "a slot's journal cut at the end of an entry after it was handed over": (volume) => {
    const file = journalOf(volume);
    truncateSync(file, readFileSync(file).indexOf(0x0a) + 1);
    return { code: "journal-damaged", file };
  },
  "a flipped bit in a slot's snapshot": (volume) => {
    const file = journalOf(volume).replace(/journal$/, "json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"number":0', '"number":1'));
    return { code: "document-invalid", file };
  },
  "a slot's journal deleted": (volume) => {
    const file = journalOf(volume);
    rmSync(file);
    return { code: "journal-missing", file };
  },
  "a slot's snapshot deleted": (volume) => {
    const file = journalOf(volume).replace(/journal$/, "json");
    rmSync(file);
    return { code: "snapshot-missing", file };
  },
  "a slot in the place of another": (volume) => {
    const slots = join(volume, "__cluster/__consumer_offsets");
    const [slot = ""] = readdirSync(slots);
    const moved = join(slots, slot === "slot-00" ? "slot-01" : "slot-00");
    renameSync(join(slots, slot), moved);
    return { code: "slot-entry-misplaced", file: filesIn(moved, ".journal")[0] as string };
  },
  "a slot that the cluster does not have": (volume) => {
    const slots = join(volume, "__cluster/__consumer_offsets");
    const [slot = ""] = readdirSync(slots);
    const moved = join(slots, "slot-77");
    renameSync(join(slots, slot), moved);
    return { code: "slot-out-of-range", file: moved };
  },
  "an overlapping block of producer ids": (volume) => {
    const file = join(volume, "__cluster/producer_ids/block-0000000001.json");
    edit(file, (document) => ({ ...document, first: 500 }));
    return { code: "producer-ids-overlap", file };
  },
  "blocks of producer ids lost": (volume) => {
    rmSync(join(volume, "__cluster/producer_ids"), { recursive: true });
    return { code: "producer-id-unclaimed", file: join(volume, "payments/0") };
  },
  "a topic without an id": (volume) => {
    const file = join(volume, "orders/.topic-id.json");
    rmSync(file);
    return { code: "topic-id-missing", file };
  },
  "a topic without a configuration": (volume) => {
    const file = join(volume, "orders/.config.json");
    rmSync(file);
    return { code: "topic-config-missing", file };
  },
  "a topic copied under another name": (volume) => {
    cpSync(join(volume, "orders"), join(volume, "orders-copy"), { recursive: true });
    return { code: "topic-id-duplicate", file: join(volume, "orders-copy/.topic-id.json") };
  },
  "a topic moved to another disk, with a link in its place": (volume) => {
    const file = join(volume, "users");
    renameSync(file, join(volume, ".elsewhere"));
    symlinkSync(".elsewhere", file);
    return { code: "no-plain-file", file };
  },
  "a lock that is no JSON": (volume) => {
    const [file = ""] = filesIn(join(volume, "__cluster"), ".json").filter((path) =>
      basename(path).startsWith("lock-"),
    );
    truncateSync(file, 5);
    return { code: "json-unreadable", file };
  },
  "a lock that is a link to nowhere": (volume) => {
    const file = join(volume, "__cluster/lock-0000000009.json");
    symlinkSync("nowhere", file);
    return { code: "no-plain-file", file };
  },
  "a directory in the place of a fuse": (volume) => {
    const file = join(volume, "__cluster/brokers/kaas-0/AAAAAAAAAAAAAAAAAAAAAA.fuse");
    mkdirSync(file, { recursive: true });
    return { code: "file-unreadable", file };
  },
  "a topic renamed by hand": (volume) => {
    renameSync(join(volume, "orders"), join(volume, "invoices"));
    return { code: "topic-id-misnamed", file: join(volume, "invoices/.topic-id.json") };
  },
  "a partition directory beyond the partition count": (volume) => {
    const file = join(volume, "orders/7");
    cpSync(join(volume, "orders/1"), file, { recursive: true });
    return { code: "partition-orphaned", file };
  },
  "a partition directory deleted": (volume) => {
    const file = join(volume, "orders/1");
    rmSync(file, { recursive: true });
    return { code: "partition-missing", file };
  },
  "a segment that no document names": (volume) => {
    const file = join(volume, "orders/0/00000000-00000000000000000000-00000009.log");
    copyFileSync(segmentsOf(volume, "orders/0")[0] as string, file);
    return { code: "segment-obsolete", file };
  },
  "a torn write at the end of an open segment": (volume) => {
    const file = openSegmentAgain(volume);
    appendFileSync(file, readFileSync(file).subarray(0, 40));
    return { code: "tail-torn", file };
  },
  "a bad batch in an open segment with good ones behind it": (volume) => {
    const file = openSegmentAgain(volume);
    flip(file, 70);
    return { code: "tail-damaged", file };
  },
  "producers' snapshot deleted": (volume) => {
    const { producers } = JSON.parse(readFileSync(join(volume, "payments/0/00000000.released"), "utf8")) as {
      producers: { snapshot: string };
    };
    const file = join(volume, "payments/0", producers.snapshot);
    rmSync(file);
    return { code: "producers-missing", file };
  },
  "a deleted topic that was not removed": (volume) => {
    const file = join(volume, ".deleting-orders-AAAAAAAAAAAAAAAAAAAAAA");
    mkdirSync(join(file, "0"), { recursive: true, mode: 0o700 });
    return { code: "deleting-leftover", file };
  },
  "a file that was never finished": (volume) => {
    const file = join(volume, "orders/0/tmp-AAAAAAAAAAAAAAAAAAAAAA");
    writeFileSync(file, "{", { mode: 0o600 });
    return { code: "temporary-leftover", file };
  },
  "a file of somebody else": (volume) => {
    const file = join(volume, "orders/0/notes.txt");
    writeFileSync(file, "remember", { mode: 0o600 });
    return { code: "name-unknown", file };
  },
  "a copy that is out of date": (volume) => {
    const file = join(volume, "orders/0/manifest.json");
    writeFileSync(file, "{}");
    return { code: "copy-outdated", file };
  },
};

/** The logs' files of a partition, oldest first. */
export function segmentsOf(volume: string, partition: string): string[] {
  return filesIn(join(volume, partition), ".log");
}

function filesIn(directory: string, suffix: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(suffix))
    .sort()
    .map((name) => join(directory, name));
}

/** The first index of a kind that has entries. */
function indexOf(volume: string, partition: string, kind: string): string {
  const found = filesIn(join(volume, partition), `.${kind}`).find((file) => statSync(file).size > 0);
  if (found === undefined) throw new Error(`${partition} has no ${kind} with entries`);
  return found;
}

function journalOf(volume: string): string {
  const slots = join(volume, "__cluster/__consumer_offsets");
  return filesIn(join(slots, readdirSync(slots)[0] as string), ".journal")[0] as string;
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  writeFileSync(file, bytes);
}

function edit(file: string, change: (document: Record<string, unknown>) => Record<string, unknown>): void {
  const document = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  writeFileSync(file, `${JSON.stringify(change(document))}\n`);
}

/** Makes the last segment of orders/1 one that no document describes, as it is while a leader is at work. */
function openSegmentAgain(volume: string): string {
  const directory = join(volume, "orders/1");
  rmSync(join(directory, "00000000.released"));
  const file = segmentsOf(volume, "orders/1").at(-1) as string;
  for (const kind of ["index", "timeindex"]) rmSync(file.replace(/log$/, kind));
  const manifest = filesIn(directory, ".manifest.json").at(-1) as string;
  const baseOffset = Number(basename(file).slice(9, 29));
  edit(manifest, (document) => {
    const segments = (document["segments"] as { baseOffset: number }[]).filter((one) => one.baseOffset < baseOffset);
    return { ...document, segments, endOffset: baseOffset };
  });
  copyFileSync(manifest, join(dirname(manifest), "manifest.json"));
  return file;
}
