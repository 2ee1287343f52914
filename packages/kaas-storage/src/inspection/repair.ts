import { KaasError, type Random } from "@kaas/core";
import { ASSIGNMENT_COPY_NAME } from "../cluster/cluster-names.js";
import { replaceHint } from "../documents/durable-files.js";
import { type DirectoryLock, removeFile, removeTree } from "../file-system/file-system.js";
import { MANIFEST_COPY_NAME, SNAPSHOT_COPY_NAME } from "../partition/file-names.js";
import { Segment } from "../partition/segment.js";
import { viewAssignments } from "./assignments-view.js";
import { examine, type Progress } from "./doctor.js";
import { blowGone, planGone, refuseWhileShared } from "./gone-brokers.js";
import { type RebuiltKind, rebuildIndex } from "./index-rebuild.js";
import { newestCopied } from "./leftovers.js";
import { viewPartition } from "./partition-view.js";
import { planSteps, type RepairReport, type RepairStep } from "./repair-plan.js";
import type { VolumeInspection } from "./volume-inspection.js";
import type { VolumeView } from "./volume-view.js";

/** What {@link planRepair} and {@link repairVolume} are told. */
export interface RepairOptions {
  readonly progress?: (progress: Progress) => void;
  /**
   * Names of brokers whose processes are known to have ended without a word, and so left their fuses as they were: those
   * are blown, as by a broker that takes over. One that runs all the same acknowledges nothing more, and starts anew.
   */
  readonly gone?: readonly string[];
}

/**
 * What {@link repairVolume} would do. Changes nothing, and works while brokers run: what they have under way is then
 * among it.
 *
 * @throws KaasError `KAAS_CONFIG_INVALID` when the volume knows no broker of a name in `gone`
 */
export async function planRepair(
  inspection: VolumeInspection,
  { progress, gone = [] }: RepairOptions = {},
): Promise<RepairReport> {
  const blows = await planGone(inspection, gone);
  const { findings } = await examine(inspection.view, false, progress);
  const { steps, blockers } = planSteps(findings);
  return { steps: [...blows, ...steps], blockers };
}

/**
 * Repairs what is provably safe: makes indexes and copies anew, removes what durable documents declare obsolete and what
 * was set aside to be removed. Nothing that a record is in is touched, unless a document says that it is not in force.
 *
 * Has the volume for itself meanwhile. Steps that fail say so and the others are done; each may be done again.
 *
 * @throws KaasError `KAAS_VOLUME_LOCKED` when a broker uses the volume, or comes to it meanwhile;
 * `KAAS_CONFIG_INVALID` as {@link planRepair} does
 */
export async function repairVolume(
  inspection: VolumeInspection,
  random: Random,
  { progress, gone = [] }: RepairOptions = {},
): Promise<RepairReport> {
  const { view } = inspection;
  const locks = await lockAll(view);
  try {
    const done: RepairStep[] = [];
    for (const step of await planGone(inspection, gone)) {
      await blowGone(inspection, random, step.file);
      done.push(step);
    }
    await refuseWhileShared(inspection);
    const { steps, blockers } = await planRepair(inspection, progress === undefined ? {} : { progress });
    for (const step of steps) {
      // Who was said to be gone may have started anew.
      await refuseWhileShared(inspection);
      done.push(await tryStep(view, random, step));
    }
    return { steps: done, blockers };
  } finally {
    for (const lock of locks) await lock.release();
  }
}

async function lockAll(view: VolumeView): Promise<readonly DirectoryLock[]> {
  const locks: DirectoryLock[] = [];
  try {
    for (const directory of [
      view.clusterDirectory,
      ...Array.from(view.further.values(), (path) => `${path}/__cluster`),
    ]) {
      locks.push(await view.fileSystem.lock(directory));
    }
    return locks;
  } catch (error) {
    for (const lock of locks) await lock.release();
    throw error;
  }
}

async function tryStep(view: VolumeView, random: Random, step: RepairStep): Promise<RepairStep> {
  try {
    await doStep(view, random, step);
    return step;
  } catch (error) {
    return { ...step, failure: error instanceof Error ? error.message : String(error) };
  }
}

async function doStep(view: VolumeView, random: Random, { action, file }: RepairStep): Promise<void> {
  const { fileSystem } = view;
  const at = file.lastIndexOf("/");
  const directory = file.slice(0, at);
  const name = file.slice(at + 1);
  if (action === "remove") {
    const isDirectory = (await fileSystem.list(directory)).some((entry) => entry.name === name && entry.isDirectory);
    return isDirectory ? removeTree(fileSystem, file) : removeFile(fileSystem, file);
  }
  const content = action === "copy" ? await originalOf(view, directory, name) : await rebuilt(view, directory, file);
  await replaceHint({ fileSystem, random }, directory, name, content);
}

/** What a copy for people is a copy of. */
async function originalOf(view: VolumeView, directory: string, name: string): Promise<Buffer> {
  if (directory === view.clusterDirectory && name === ASSIGNMENT_COPY_NAME) {
    const newest = (await viewAssignments(view)).assignments.at(-1);
    if (newest !== undefined) return view.fileSystem.readFile(newest.file);
  }
  const partition = await viewPartition(view, directory);
  const original = partition && newestCopied(partition)[name === MANIFEST_COPY_NAME ? "manifest" : "snapshot"];
  if (original === undefined || (name !== MANIFEST_COPY_NAME && name !== SNAPSHOT_COPY_NAME)) {
    throw new KaasError("KAAS_VOLUME_INVALID", `there is nothing that ${directory}/${name} is a copy of`);
  }
  return view.fileSystem.readFile(`${directory}/${original.name}`);
}

async function rebuilt(view: VolumeView, directory: string, file: string): Promise<Buffer> {
  const segments = (await viewPartition(view, directory))?.state?.segments ?? [];
  const kind = file.slice(file.lastIndexOf(".") + 1) as RebuiltKind;
  const record = segments.find((one) => Segment.of(directory, one).path(kind) === file);
  if (record === undefined) throw new KaasError("KAAS_VOLUME_INVALID", `${file} belongs to no segment in force`);
  return rebuildIndex(view, directory, segments, record, kind);
}
