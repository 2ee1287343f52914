import type { DoctorReport } from "@kaas/storage";
import { countFindings, renderFindings } from "../output/findings.js";
import { counted, shownBytes } from "../output/shown.js";
import { type Action, EXIT } from "../session.js";

/** `doctor` */
export const doctor: Action = async (session) => {
  const inspection = await session.inspect();
  const bar = session.progressBar();
  let report: DoctorReport;
  try {
    report = await inspection.examine((progress) => bar.update(progress));
  } finally {
    await bar.clear();
  }
  await session.output.print(report, () => {
    const findings = renderFindings(report.findings, session.style);
    return `${findings}${findings === "" ? "" : "\n"}${summary(inspection.directory, report)}\n`;
  });
  return report.isSound ? EXIT.SOUND : EXIT.UNSOUND;
};

function summary(directory: string, { findings, isSound, partitions, batches, bytes }: DoctorReport): string {
  const scope = `${counted(partitions, "partition")}, ${counted(batches, "batch", "batches")}, ${shownBytes(bytes)}`;
  const counts = countFindings(findings);
  const verdict = isSound ? "sound" : "not sound";
  return `${directory}: ${verdict}${counts === "" ? "" : ` (${counts})`}; ${scope}`;
}
