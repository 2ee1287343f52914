import { readIfThere } from "../file-system/file-system.js";
import type { Assignment } from "@kaas/core";
import {
  type AssignmentNumber,
  assignmentNumber,
  claimedEpoch,
  compareAssignments,
} from "../cluster/assignment-names.js";
import { ASSIGNMENT_COPY_NAME, ASSIGNMENTS_NAME } from "../cluster/cluster-names.js";
import type { DocumentTypes } from "../documents/document-types.js";
import { isTemporaryName } from "../documents/durable-files.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import { isFileSystemName, listIfThere, unreadable, type VolumeView } from "./volume-view.js";

/** An assignment that is kept on the volume. */
export interface PublishedAssignment {
  readonly file: string;
  readonly assignment: Assignment;
}

/** An epoch that a controller took. */
export type ControllerClaim = DocumentTypes["controller-claim"] & { readonly file: string };

/** What controllers have decided, as far as it is kept. */
export interface AssignmentsView {
  /** The newest last. */
  readonly assignments: readonly PublishedAssignment[];
  /** Ascending by epoch. */
  readonly claims: readonly ControllerClaim[];
  readonly findings: readonly Finding[];
}

/** Reads all assignments and claims that there are. */
export async function viewAssignments(view: VolumeView): Promise<AssignmentsView> {
  const directory = `${view.clusterDirectory}/${ASSIGNMENTS_NAME}`;
  const assignments: PublishedAssignment[] = [];
  const claims: ControllerClaim[] = [];
  const findings: Finding[] = [];
  for (const { name } of (await listIfThere(view, directory)) ?? []) {
    const file = `${directory}/${name}`;
    const number = assignmentNumber(name);
    if (number !== undefined) {
      const read = await readAssignment(view, file, number);
      if (read.assignment !== undefined) assignments.push({ file, assignment: read.assignment });
      findings.push(...read.findings);
    } else if (claimedEpoch(name) !== undefined) {
      const probe = await probeDocument(view, file, "controller-claim");
      if (probe.state === "valid") claims.push({ file, ...probe.value });
      if (probe.state === "bad") findings.push(probe.finding);
    } else if (!isFileSystemName(name)) {
      const isLeftover = isTemporaryName(name);
      const code = isLeftover ? "temporary-leftover" : "name-unknown";
      findings.push(finding(code, file, isLeftover ? "it was never finished" : "it is no assignment and no claim"));
    }
  }
  assignments.sort((one, other) => compareAssignments(one.assignment, other.assignment));
  return { assignments, claims, findings };
}

async function readAssignment(
  view: VolumeView,
  file: string,
  number: AssignmentNumber,
): Promise<{ readonly assignment?: Assignment; readonly findings: readonly Finding[] }> {
  const probe = await probeDocument(view, file, "assignment");
  if (probe.state === "gone") return { findings: [] };
  if (probe.state === "bad") return { findings: [probe.finding] };
  if (compareAssignments(probe.value, number) === 0) return { assignment: probe.value, findings: [] };
  const { controllerEpoch, version } = probe.value;
  const message = `it says that it is version ${version} of controller epoch ${controllerEpoch}`;
  return { findings: [finding("document-invalid", file, message)] };
}

/** Whether the copy for people is of the newest assignment. */
export async function checkAssignmentCopy(
  view: VolumeView,
  { assignments }: Pick<AssignmentsView, "assignments">,
): Promise<Finding[]> {
  const path = `${view.clusterDirectory}/${ASSIGNMENT_COPY_NAME}`;
  const newest = assignments.at(-1);
  const probe = await probeDocument(view, path, "assignment");
  if (newest === undefined) {
    return probe.state === "bad" ? [finding("hint-unreadable", path, probe.finding.message)] : [];
  }
  try {
    const [copy, original] = [
      await readIfThere(view.fileSystem, path),
      await readIfThere(view.fileSystem, newest.file),
    ];
    if (original === undefined || copy?.equals(original) === true) return [];
    return [finding("copy-outdated", path, `it is not a copy of ${newest.file}`)];
  } catch (error) {
    return [unreadable(path, error)];
  }
}
