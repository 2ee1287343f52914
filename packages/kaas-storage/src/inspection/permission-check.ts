import { isErrno } from "../file-system/file-system.js";
import { type Finding, finding } from "./finding.js";
import type { FileStatus } from "./inspection-host.js";
import { unreadable, type VolumeView } from "./volume-view.js";

/** By which a process that has the volume to itself is known to live. */
const LOCK_SOCKET = /^lock-[0-9a-f]+\.sock$/;
const SECRET_NAMES: ReadonlySet<string> = new Set(["credentials.json"]);
/** Of one directory, so many are named; what is wrong with all of them is the directory's own. */
const FINDINGS_MAX = 5;

/** Goes through the whole tree: files and directories alone, one owner, who may read and write everything, and nobody else who may. */
export async function checkPermissions(view: VolumeView): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const directory of [view.directory, ...view.further.values()]) {
    const root = await view.host.statusOf(directory);
    if (root === undefined) continue;
    if ((root.mode & 0o077) !== 0) {
      findings.push(finding("volume-exposed", directory, `its mode is ${shown(root)}`));
    }
    await checkTree(view, directory, root, findings);
  }
  return findings;
}

async function checkTree(view: VolumeView, directory: string, root: FileStatus, findings: Finding[]): Promise<void> {
  const own: Finding[] = [];
  let names: readonly { readonly name: string; readonly isDirectory: boolean }[];
  try {
    names = await view.fileSystem.list(directory);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return;
    findings.push(unreadable(directory, error));
    return;
  }
  for (const { name, isDirectory } of names) {
    const path = `${directory}/${name}`;
    const status = await view.host.statusOf(path);
    if (status !== undefined && own.length < FINDINGS_MAX) own.push(...judge(path, name, status, root));
    if (isDirectory && name !== "lost+found") await checkTree(view, path, root, findings);
  }
  findings.push(...own);
}

function judge(path: string, name: string, status: FileStatus, root: FileStatus): Finding[] {
  const findings: Finding[] = [];
  if (status.userId !== root.userId) {
    const message = `its owner is user ${status.userId}, that of the volume is ${root.userId}`;
    findings.push(finding("owner-foreign", path, message));
  }
  if (status.isOther === true) {
    return LOCK_SOCKET.test(name) ? findings : [...findings, finding("no-plain-file", path, "it is none")];
  }
  const needed = status.isDirectory ? 0o700 : 0o600;
  if ((status.mode & needed) !== needed)
    findings.push(finding("mode-unwritable", path, `its mode is ${shown(status)}`));
  if (SECRET_NAMES.has(name) && (status.mode & 0o077) !== 0) {
    findings.push(finding("secrets-exposed", path, `its mode is ${shown(status)}`));
  }
  return findings;
}

function shown({ mode }: FileStatus): string {
  return mode.toString(8).padStart(4, "0");
}
