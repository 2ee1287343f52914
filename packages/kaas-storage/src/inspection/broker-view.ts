import { readIfThere } from "../file-system/file-system.js";
import type { DocumentTypes } from "../documents/document-types.js";
import { blownBy, type Incarnation } from "../leadership/fuse-file.js";
import { probeDocument } from "./document-probe.js";
import { listIfThere, type VolumeView } from "./volume-view.js";

const FUSE_NAME = /^([A-Za-z0-9_-]{1,63})\.fuse$/;

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
  const root = `${view.clusterDirectory}/brokers`;
  const brokers: BrokerView[] = [];
  for (const { name: broker, isDirectory } of (await listIfThere(view, root)) ?? []) {
    if (!isDirectory) continue;
    for (const { name } of (await listIfThere(view, `${root}/${broker}`)) ?? []) {
      const incarnation = FUSE_NAME.exec(name)?.[1];
      if (incarnation === undefined) continue;
      const file = `${root}/${broker}/${name}`;
      const fuse = await readFuse(view, file);
      if (fuse === undefined) continue; // it has ended in order meanwhile
      const probe = await probeDocument(view, `${root}/${broker}/${incarnation}.json`, "incarnation");
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
