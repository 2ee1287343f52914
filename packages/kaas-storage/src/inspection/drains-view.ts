import { drainedBroker, DRAINS_NAME } from "../cluster/cluster-names.js";
import { isTemporaryName } from "../documents/durable-files.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import { isFileSystemName, listIfThere, type VolumeView } from "./volume-view.js";

/** Somebody wants a broker to lead nothing. */
export interface DrainWish {
  readonly broker: string;
  readonly file: string;
  /** Undefined where the file cannot be read; it counts all the same. */
  readonly askedMs: number | undefined;
}

/** All such wishes, by broker. */
export interface DrainsView {
  readonly drains: readonly DrainWish[];
  readonly findings: readonly Finding[];
}

/** Reads the wishes that there are. */
export async function viewDrains(view: VolumeView): Promise<DrainsView> {
  const directory = `${view.clusterDirectory}/${DRAINS_NAME}`;
  const drains: DrainWish[] = [];
  const findings: Finding[] = [];
  for (const { name } of (await listIfThere(view, directory)) ?? []) {
    const file = `${directory}/${name}`;
    const broker = drainedBroker(name);
    if (isTemporaryName(name)) findings.push(finding("temporary-leftover", file, "it was never finished"));
    else if (broker !== undefined) {
      const probe = await probeDocument(view, file, "drain-wish");
      if (probe.state === "gone") continue;
      if (probe.state === "bad") findings.push(probe.finding);
      drains.push({ broker, file, askedMs: probe.state === "valid" ? probe.value.askedMs : undefined });
    } else if (!isFileSystemName(name)) {
      findings.push(finding("name-unknown", file, "it is no wish to drain a broker"));
    }
  }
  return { drains, findings };
}
