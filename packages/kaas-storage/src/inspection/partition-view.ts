import type { DocumentTypes, LogState } from "../documents/document-types.js";
import { isTemporaryName } from "../documents/durable-files.js";
import { epochFileName } from "../leadership/epoch-names.js";
import {
  CHECKPOINT_NAME,
  isCleaned,
  MANIFEST_COPY_NAME,
  parsePartitionFile,
  SNAPSHOT_COPY_NAME,
} from "../partition/file-names.js";
import { type ListedFile, PartitionFiles } from "../partition/partition-files.js";
import type { MovedAway } from "../partition/recovery.js";
import { Segment } from "../partition/segment.js";
import { probeDocument } from "./document-probe.js";
import type { Finding } from "./finding.js";
import { listIfThere, type VolumeView } from "./volume-view.js";

/** How often a partition that changes all the time is looked at again before what was seen last is taken. */
const ATTEMPTS_MAX = 20;

/** Which document says what the log consists of. */
export type StateSource = "released" | "manifest" | "seal";

/** One partition as its directory and documents describe it at one moment. */
export interface PartitionView {
  readonly directory: string;
  readonly listed: PartitionFiles;
  /** Names that are not ours, such as those of NFS. */
  readonly foreign: readonly string[];
  /** −1: never claimed. */
  readonly claimEpoch: number;
  /** −1: never led. */
  readonly sealEpoch: number;
  /** Who claimed the epoch in force. */
  readonly claim: DocumentTypes["claim"] | undefined;
  readonly source: StateSource | undefined;
  /** Undefined where no document says it, or where the one that counts is not readable. */
  readonly state: LogState | undefined;
  /** Segments that the newest manifest declares obsolete. */
  readonly obsolete: DocumentTypes["manifest"]["obsolete"];
  /** Segments of the epoch in force that no document describes yet, ascending. */
  readonly tail: readonly ListedFile[];
  /** What is wrong with the documents that were read. */
  readonly findings: readonly Finding[];
}

/**
 * Reads what a partition's documents say; undefined when there is no such directory. One that has arrived, and that
 * nobody has led there since, is what its mover said.
 */
export async function viewPartition(
  view: VolumeView,
  directory: string,
  arrival?: MovedAway,
): Promise<PartitionView | undefined> {
  for (let attempt = 1; ; attempt++) {
    const listed = await listPartition(view, directory);
    if (listed === undefined) return undefined;
    if (arrival !== undefined && arrival.movedTo.since > listed.files.highestEpoch("seal")) {
      const { movedTo, state } = arrival;
      return { ...emptyView(listed.files), foreign: listed.foreign, sealEpoch: movedTo.since, source: "seal", state };
    }
    const partition = await readPartition(view, listed.files, listed.foreign);
    if (partition !== undefined || attempt === ATTEMPTS_MAX) return partition ?? emptyView(listed.files);
    await view.host.pause(attempt); // a newer document replaced it between listing and reading
  }
}

interface Listed {
  readonly files: PartitionFiles;
  readonly foreign: readonly string[];
}

async function listPartition(view: VolumeView, directory: string): Promise<Listed | undefined> {
  const entries = await listIfThere(view, directory);
  if (entries === undefined) return undefined;
  const files: ListedFile[] = [];
  const temporary: string[] = [];
  const foreign: string[] = [];
  for (const { name } of entries) {
    const file = parsePartitionFile(name);
    if (file !== undefined) files.push({ ...file, name });
    else if (isTemporaryName(name)) temporary.push(name);
    else if (!isKnownName(name)) foreign.push(name);
  }
  return { files: new PartitionFiles(directory, files, temporary), foreign };
}

function isKnownName(name: string): boolean {
  return name === CHECKPOINT_NAME || name === MANIFEST_COPY_NAME || name === SNAPSHOT_COPY_NAME;
}

/** Undefined when a document that was listed has gone: the listing is out of date. */
async function readPartition(
  view: VolumeView,
  listed: PartitionFiles,
  foreign: readonly string[],
): Promise<PartitionView | undefined> {
  const base = { ...emptyView(listed), foreign };
  const { sealEpoch } = base;
  if (sealEpoch < 0) return base;
  const findings: Finding[] = [];
  const claim = await probeDocument(view, listed.path(epochFileName(sealEpoch, "claim")), "claim");
  const source = sourceOf(listed, sealEpoch);
  const document = await probeDocument(view, listed.path(source.name), source.kind);
  if (document.state === "gone") return undefined;
  if (document.state === "bad") findings.push(document.finding);
  const state: LogState | undefined = document.state === "valid" ? document.value : undefined;
  return {
    ...base,
    claim: claim.state === "valid" ? claim.value : undefined,
    source: source.kind,
    state,
    obsolete: document.state === "valid" && "obsolete" in document.value ? document.value.obsolete : [],
    tail: state === undefined || source.kind === "released" ? [] : tailOf(listed, sealEpoch, state),
    findings,
  };
}

function emptyView(listed: PartitionFiles): PartitionView {
  return {
    directory: listed.directory,
    listed,
    foreign: [],
    claimEpoch: listed.highestEpoch("claim"),
    sealEpoch: listed.highestEpoch("seal"),
    claim: undefined,
    source: undefined,
    state: undefined,
    obsolete: [],
    tail: [],
    findings: [],
  };
}

/** Recovery's order of trust: the hand-over, else the newest manifest, else the seal. */
function sourceOf(listed: PartitionFiles, epoch: number): { readonly kind: StateSource; readonly name: string } {
  const [released] = listed.of("released", epoch);
  if (released !== undefined) return { kind: "released", name: released.name };
  const manifest = listed.of("manifest", epoch).at(-1);
  if (manifest !== undefined) return { kind: "manifest", name: manifest.name };
  return { kind: "seal", name: epochFileName(epoch, "seal") };
}

/** Segments that the epoch appended to and no document describes. What compaction writes always has one. */
function tailOf(listed: PartitionFiles, epoch: number, state: LogState): ListedFile[] {
  const described = new Set(state.segments.map((record) => Segment.of(listed.directory, record).fileName("log")));
  return listed
    .of("log", epoch)
    .filter((file) => file.number >= state.endOffset && !isCleaned(file) && !described.has(file.name));
}

/** What the names of all files of a segment begin with. */
export function segmentStem(name: string): string {
  return name.slice(0, name.indexOf("."));
}
