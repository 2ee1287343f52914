import type { SlotKind } from "@kaas/core";
import { parseSlotFile } from "../journal/slot-files.js";
import type { Incarnation } from "../leadership/fuse-file.js";
import { parsePartitionFile } from "../partition/file-names.js";
import { listSlots } from "./cluster-view.js";
import { probeDocument } from "./document-probe.js";
import type { Finding } from "./finding.js";
import { viewRoot } from "./root-check.js";
import { listIfThere, unreadable, type VolumeView } from "./volume-view.js";

/** An epoch that somebody claimed. */
export interface ClaimView extends Incarnation {
  readonly epoch: number;
  /** Whether it was handed over in order. */
  readonly isReleased: boolean;
  /** Whether its leader got so far that it may have written. */
  readonly hasBegun: boolean;
}

/** What leaders claim: a partition, or a coordinator slot. */
export interface ClaimedPlace {
  readonly kind: "partition" | SlotKind;
  /** Of a partition. */
  readonly topic?: string;
  /** The partition, or the slot. */
  readonly number: number;
  readonly directory: string;
  /** Those that are kept, ascending by epoch. */
  readonly claims: readonly ClaimView[];
}

/** All claims of a volume. */
export interface ClaimsView {
  readonly places: readonly ClaimedPlace[];
  readonly findings: readonly Finding[];
}

/** Reads every claim that there is. Groups' slots come first, then those of transactions, then partitions. */
export async function viewClaims(view: VolumeView): Promise<ClaimsView> {
  const places: ClaimedPlace[] = [];
  const findings: Finding[] = [];
  const read = async (place: Omit<ClaimedPlace, "claims">): Promise<void> => {
    const claims = await readClaims(view, place.directory, findings);
    if (claims.length > 0) places.push({ ...place, claims });
  };
  for (const kind of ["groups", "transactions"] as const) {
    for (const { slot, directory } of await listSlots(view, kind)) await read({ kind, number: slot, directory });
  }
  for (const { name: topic, partitions } of (await viewRoot(view)).topics) {
    for (const { partition, directory } of partitions) {
      await read({ kind: "partition", topic, number: partition, directory });
    }
  }
  return { places, findings };
}

async function readClaims(view: VolumeView, directory: string, findings: Finding[]): Promise<ClaimView[]> {
  const files = await listFiles(view, directory, findings);
  const has = (epoch: number, kinds: readonly string[]): boolean =>
    files.some((file) => file.epoch === epoch && kinds.includes(file.kind));
  const claims: ClaimView[] = [];
  for (const { name, kind } of files) {
    if (kind !== "claim") continue;
    const probe = await probeDocument(view, `${directory}/${name}`, "claim");
    if (probe.state === "bad") findings.push(probe.finding);
    if (probe.state !== "valid") continue;
    const { epoch, broker, incarnation } = probe.value;
    const isReleased = has(epoch, ["released"]);
    claims.push({ epoch, broker, incarnation, isReleased, hasBegun: has(epoch, ["seal", "snapshot"]) });
  }
  return claims.sort((one, other) => one.epoch - other.epoch);
}

interface EpochFile {
  readonly name: string;
  readonly kind: string;
  readonly epoch: number;
}

async function listFiles(view: VolumeView, directory: string, findings: Finding[]): Promise<EpochFile[]> {
  try {
    return ((await listIfThere(view, directory)) ?? []).flatMap(({ name }) => {
      const file = parsePartitionFile(name) ?? parseSlotFile(name);
      return file === undefined ? [] : [{ name, kind: file.kind, epoch: file.epoch }];
    });
  } catch (error) {
    findings.push(unreadable(directory, error));
    return [];
  }
}
