import type { SlotKind } from "@kaas/core";
import { isDocumentName } from "../cluster/cluster-document-names.js";
import {
  ASSIGNMENT_COPY_NAME,
  ASSIGNMENTS_NAME,
  BROKERS_NAME,
  CLUSTER_NAME,
  DRAINS_NAME,
  PRODUCER_IDS_NAME,
  producerIdBlockNumber,
} from "../cluster/cluster-names.js";
import { GENERATION_KINDS, generationFileName } from "../cluster/generation-file.js";
import { SLOT_DIRECTORIES, slotNumber } from "../journal/slot-files.js";
import type { DocumentKind, DocumentTypes } from "../documents/document-types.js";
import { isTemporaryName } from "../documents/durable-files.js";
import { probeDocument } from "./document-probe.js";
import { viewDrains } from "./drains-view.js";
import { type Finding, finding } from "./finding.js";
import { isFileSystemName, listIfThere, type VolumeView } from "./volume-view.js";

const LOCK_NAME = /^lock-(\d{10}\.json|[0-9a-f]+\.sock)$/;
const DOCUMENTS: ReadonlyMap<string, DocumentKind> = new Map<string, DocumentKind>([
  ...GENERATION_KINDS.map((kind) => [generationFileName(kind), kind] as const),
]);

/** The cluster's own document; its id is what clients see. */
export async function readCluster(
  view: VolumeView,
): Promise<{ readonly cluster: DocumentTypes["cluster"] | undefined; readonly findings: readonly Finding[] }> {
  const path = `${view.clusterDirectory}/${CLUSTER_NAME}`;
  const probe = await probeDocument(view, path, "cluster");
  if (probe.state === "valid") return { cluster: probe.value, findings: [] };
  const problem = probe.state === "bad" ? probe.finding : finding("cluster-missing", path, "it is not there");
  return { cluster: undefined, findings: [problem] };
}

/** A block of producer ids that some process claimed. */
export interface ProducerIdBlockView {
  readonly file: string;
  readonly number: number;
  readonly first: number;
  readonly count: number;
  /** The start of a process that claimed it. */
  readonly incarnation: string;
}

/** Which producer ids were given out, as the blocks on the volume say. */
export interface ProducerIdsView {
  /** Ascending by number. */
  readonly blocks: readonly ProducerIdBlockView[];
  readonly findings: readonly Finding[];
}

/** Reads all blocks, and says which of them hand out the same ids. */
export async function viewProducerIds(view: VolumeView): Promise<ProducerIdsView> {
  const directory = `${view.clusterDirectory}/${PRODUCER_IDS_NAME}`;
  const blocks: ProducerIdBlockView[] = [];
  const findings: Finding[] = [];
  for (const { name } of (await listIfThere(view, directory)) ?? []) {
    const file = `${directory}/${name}`;
    const number = producerIdBlockNumber(name);
    if (number === undefined) {
      const isLeftover = isTemporaryName(name);
      const code = isLeftover ? "temporary-leftover" : "name-unknown";
      findings.push(finding(code, file, isLeftover ? "it was never finished" : "it is no block of producer ids"));
      continue;
    }
    const probe = await probeDocument(view, file, "producer-id-block");
    if (probe.state === "bad") findings.push(probe.finding);
    if (probe.state === "valid") blocks.push({ file, number, ...probe.value });
  }
  return { blocks, findings: [...findings, ...findOverlaps(blocks)] };
}

function findOverlaps(blocks: readonly ProducerIdBlockView[]): Finding[] {
  const byFirst = [...blocks].sort((a, b) => a.first - b.first || a.number - b.number);
  const findings: Finding[] = [];
  let reaching = byFirst[0];
  for (const block of byFirst.slice(1)) {
    if (reaching !== undefined && block.first < reaching.first + reaching.count) {
      const [one, other] = reaching.number < block.number ? [reaching, block] : [block, reaching];
      const message = `its ids ${shown(other)} are also in ${one.file}, which has ${shown(one)}`;
      findings.push(finding("producer-ids-overlap", other.file, message));
    }
    if (reaching === undefined || block.first + block.count > reaching.first + reaching.count) reaching = block;
  }
  return findings;
}

function shown({ first, count }: ProducerIdBlockView): string {
  return `${first} to ${first + count - 1}`;
}

/** The slots of a kind that have a directory, ascending. A slot that nobody has used has none. */
export async function listSlots(
  view: VolumeView,
  kind: SlotKind,
): Promise<readonly { readonly slot: number; readonly directory: string }[]> {
  const parent = `${view.clusterDirectory}/${SLOT_DIRECTORIES[kind]}`;
  return ((await listIfThere(view, parent)) ?? []).flatMap(({ name }) => {
    const slot = slotNumber(name);
    return slot === undefined ? [] : [{ slot, directory: `${parent}/${name}` }];
  });
}

/** Everything else in the cluster directory. */
export async function checkClusterDirectory(view: VolumeView): Promise<Finding[]> {
  const known = new Set<string>([
    DRAINS_NAME,
    CLUSTER_NAME,
    PRODUCER_IDS_NAME,
    BROKERS_NAME,
    ASSIGNMENTS_NAME,
    ASSIGNMENT_COPY_NAME,
    ...Object.values(SLOT_DIRECTORIES),
  ]);
  const findings: Finding[] = [...(await viewDrains(view)).findings];
  for (const { name } of (await listIfThere(view, view.clusterDirectory)) ?? []) {
    const path = `${view.clusterDirectory}/${name}`;
    if (known.has(name) || isFileSystemName(name)) continue;
    if (LOCK_NAME.test(name)) findings.push(...(await checkLock(view, path)));
    else if (isTemporaryName(name)) findings.push(finding("temporary-leftover", path, "it was never finished"));
    else if (isDocumentName(name) || DOCUMENTS.has(name)) {
      const probe = await probeDocument(view, path, DOCUMENTS.get(name) ?? "cluster-document");
      if (probe.state === "bad") findings.push(probe.finding);
    } else findings.push(finding("name-unknown", path, "it is none of the cluster's files"));
  }
  return findings;
}

/** Who wants the directory reads all of them, and goes no further if one cannot be read. */
async function checkLock(view: VolumeView, path: string): Promise<Finding[]> {
  if (!path.endsWith(".json")) return [];
  const probe = await probeDocument(view, path, "lock");
  if (probe.state !== "bad") return [];
  const { code, file, message } = probe.finding;
  return [finding(code, file, `${message}; it only says which process has the volume: remove it if none has`)];
}
