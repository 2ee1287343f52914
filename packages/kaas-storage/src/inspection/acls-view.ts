import type { AclBinding } from "@kaas/core";
import { generationFileName } from "../cluster/generation-file.js";
import { probeDocument } from "./document-probe.js";
import type { Finding } from "./finding.js";
import type { VolumeView } from "./volume-view.js";

/** All ACLs of a volume. */
export interface AclsView {
  /** The generation of `acls.json`; 0 where there is no such file, or none that can be used. */
  readonly generation: number;
  readonly acls: readonly AclBinding[];
  readonly findings: readonly Finding[];
}

/** Reads `acls.json`. */
export async function viewAcls(view: VolumeView): Promise<AclsView> {
  const probe = await probeDocument(view, `${view.clusterDirectory}/${generationFileName("acls")}`, "acls");
  if (probe.state === "valid") return { ...probe.value, findings: [] };
  return { generation: 0, acls: [], findings: probe.state === "bad" ? [probe.finding] : [] };
}
