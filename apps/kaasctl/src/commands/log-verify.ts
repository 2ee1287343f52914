import type { Finding, PartitionCheck, PartitionSummary, VolumeInspection } from "@kaas/storage";
import { isSound } from "@kaas/storage";
import { countFindings, renderFindings } from "../output/findings.js";
import { counted, shownBytes, shownNumber } from "../output/shown.js";
import { renderTable } from "../output/table.js";
import { type Action, EXIT, partitionOf, type Session, topicNamed } from "../session.js";

/** `log verify [TOPIC [PARTITION]]` */
export function verifyLogs(topic: string | undefined, partition: number | undefined): Action {
  return async (session) => {
    const inspection = await session.open();
    const checks = await verifyAll(session, inspection, await placesOf(inspection, topic, partition));
    const findings = checks.flatMap((check) => check.findings);
    const rows = checks.map(({ findings: own, totals, ...check }) => ({ ...check, ...totals, findings: own }));
    await session.output.print(rows, () => {
      const table = renderTable(COLUMNS, checks, session.style);
      return `${table}\n${renderFindings(findings, session.style)}${summary(checks, findings)}\n`;
    });
    return isSound(findings) ? EXIT.SOUND : EXIT.UNSOUND;
  };
}

async function placesOf(
  inspection: VolumeInspection,
  topic: string | undefined,
  partition: number | undefined,
): Promise<readonly PartitionSummary[]> {
  const topics = topic === undefined ? await inspection.topics() : [await topicNamed(inspection, topic)];
  const [only] = topics;
  if (partition !== undefined && only !== undefined) partitionOf(only, partition);
  const places: PartitionSummary[] = [];
  for (const one of topics) places.push(...(await inspection.partitions(one)));
  return partition === undefined ? places : places.filter((place) => place.partition === partition);
}

async function verifyAll(
  session: Session,
  inspection: VolumeInspection,
  places: readonly PartitionSummary[],
): Promise<PartitionCheck[]> {
  const bar = session.progressBar();
  const total = places.reduce((sum, place) => sum + place.sizeBytes, 0);
  const checks: PartitionCheck[] = [];
  let done = 0;
  try {
    for (const { topic, partition, directory } of places) {
      const check = await inspection.verify({ topic, partition, directory }, (bytes) => {
        done += bytes;
        bar.update({ at: `${topic}/${partition}`, done, total });
      });
      if (check !== undefined) checks.push(check);
    }
  } finally {
    await bar.clear();
  }
  return checks;
}

const COLUMNS = [
  { title: "TOPIC", cell: (row: PartitionCheck): string => row.topic },
  { title: "PARTITION", isNumber: true, cell: (row: PartitionCheck): string => String(row.partition) },
  { title: "EPOCH", isNumber: true, cell: (row: PartitionCheck): string => shownNumber(row.epoch) },
  { title: "START", isNumber: true, cell: (row: PartitionCheck): string => String(row.logStartOffset) },
  { title: "END", isNumber: true, cell: (row: PartitionCheck): string => String(row.endOffset) },
  { title: "SEGMENTS", isNumber: true, cell: (row: PartitionCheck): string => String(row.segments) },
  { title: "BATCHES", isNumber: true, cell: (row: PartitionCheck): string => String(row.totals.batches) },
  { title: "RECORDS", isNumber: true, cell: (row: PartitionCheck): string => String(row.totals.records) },
  { title: "SIZE", isNumber: true, cell: (row: PartitionCheck): string => shownBytes(row.totals.bytes) },
  { title: "RESULT", cell: (row: PartitionCheck): string => countFindings(row.findings) || "sound" },
];

function summary(checks: readonly PartitionCheck[], findings: readonly Finding[]): string {
  const batches = checks.reduce((sum, { totals }) => sum + totals.batches, 0);
  const scope = `${counted(checks.length, "partition")}, ${counted(batches, "batch", "batches")}`;
  return `${scope}: ${countFindings(findings) || "sound"}`;
}
