import { readIfThere } from "../file-system/file-system.js";
import type { DocumentTypes } from "../documents/document-types.js";
import { blownBy, brokersDirectory, descriptionName, fuseOwner, type Incarnation } from "../leadership/fuse-file.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import { listIfThere, unreadable, type VolumeView } from "./volume-view.js";

/** One start of a broker's process that has left a fuse on the volume. */
export interface BrokerView {
  readonly broker: string;
  readonly incarnation: string;
  readonly file: string;
  /** `live`: it may acknowledge, if it still runs. `blown`: somebody took over from it. */
  readonly fuse: "live" | "blown" | "unreadable";
  /** Who blew it, where it says so. */
  readonly blownBy?: Incarnation;
  /** What the process said of itself. */
  readonly description: DocumentTypes["incarnation"] | undefined;
}

/** Reads the fuses of all brokers. Only looks: to a broker, one more reader of its fuse is nothing. */
export async function viewBrokers(view: VolumeView): Promise<readonly BrokerView[]> {
  const root = brokersDirectory(view.clusterDirectory);
  const brokers: BrokerView[] = [];
  for (const { name: broker, isDirectory } of (await listIfThere(view, root)) ?? []) {
    if (!isDirectory) continue;
    for (const { name } of (await listIfThere(view, `${root}/${broker}`)) ?? []) {
      const incarnation = fuseOwner(name);
      if (incarnation === undefined) continue;
      const file = `${root}/${broker}/${name}`;
      const fuse = await readFuse(view, file);
      if (fuse === undefined) continue; // it has ended in order meanwhile
      const probe = await probeDocument(view, `${root}/${broker}/${descriptionName(incarnation)}`, "incarnation");
      const description = probe.state === "valid" ? probe.value : undefined;
      brokers.push({ broker, incarnation, file, ...fuse, description });
    }
  }
  return brokers;
}

async function readFuse(view: VolumeView, file: string): Promise<Pick<BrokerView, "fuse" | "blownBy"> | undefined> {
  try {
    const content = await readIfThere(view.fileSystem, file);
    if (content === undefined) return undefined;
    if (content.subarray(0, 5).toString() === "LIVE ") return { fuse: "live" };
    if (content.subarray(0, 5).toString() !== "BLOWN") return { fuse: "unreadable" };
    const by = blownBy(content);
    return by === undefined ? { fuse: "blown" } : { fuse: "blown", blownBy: by };
  } catch {
    return { fuse: "unreadable" }; // it counts as blown, and the doctor looks at permissions by himself
  }
}

/** What a broker that starts would stumble over: it reads what its predecessors left, and removes it. */
export async function checkBrokers(view: VolumeView): Promise<Finding[]> {
  const root = brokersDirectory(view.clusterDirectory);
  const findings: Finding[] = [];
  for (const { name: broker } of (await listIfThere(view, root)) ?? []) {
    for (const { name, isDirectory } of (await listIfThere(view, `${root}/${broker}`)) ?? []) {
      const path = `${root}/${broker}/${name}`;
      if (isDirectory) findings.push(finding("file-unreadable", path, "it is a directory"));
      else if (name.endsWith(".json")) {
        const probe = await probeDocument(view, path, "incarnation");
        if (probe.state !== "bad") continue;
        const isRefused = probe.finding.code === "file-unreadable";
        findings.push(isRefused ? probe.finding : finding("hint-unreadable", path, probe.finding.message));
      } else if (fuseOwner(name) !== undefined) findings.push(...(await tryFuse(view, path)));
    }
  }
  return findings;
}

async function tryFuse(view: VolumeView, path: string): Promise<Finding[]> {
  try {
    await readIfThere(view.fileSystem, path);
    return [];
  } catch (error) {
    return [unreadable(path, error)];
  }
}
