/** A mounted file system as `/proc/self/mountinfo` describes it. */
export interface Mount {
  readonly mountPoint: string;
  readonly type: string;
  readonly source: string;
  /** Of the mount and of the file system, in force now: `rw`, `vers=4.1`, `hard`, … */
  readonly options: ReadonlySet<string>;
}

/**
 * ```
 * 36 35 0:45 / /data rw,relatime shared:1 - nfs4 server:/export rw,vers=4.1,hard,proto=tcp
 *              │     │                      │    │              │
 *              │     options of the mount   type source         options of the file system
 *              mount point, with octal escapes
 * ```
 */
export function parseMountInfo(text: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split("\n")) {
    const [left, right] = line.split(" - ");
    const [, , , , mountPoint, ownOptions] = left?.split(" ") ?? [];
    const [type, source, options] = right?.split(" ") ?? [];
    if (mountPoint === undefined || ownOptions === undefined || type === undefined) continue;
    mounts.push({
      mountPoint: unescaped(mountPoint),
      type,
      source: unescaped(source ?? ""),
      options: new Set([...ownOptions.split(","), ...(options ?? "").split(",")]),
    });
  }
  return mounts;
}

/** The mount that a path lies in: the one with the longest mount point, the last of several on top of each other. */
export function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  let found: Mount | undefined;
  for (const mount of mounts) {
    const prefix = mount.mountPoint === "/" ? "/" : `${mount.mountPoint}/`;
    if (`${path}/`.startsWith(prefix) && mount.mountPoint.length >= (found?.mountPoint.length ?? 0)) found = mount;
  }
  return found;
}

/** What in a mount may lose or hide what was acknowledged, with what to do about it; undefined when it is well. */
export function objectionTo({ type, options, mountPoint }: Mount): string | undefined {
  const flaw = UNFIT_TYPES.get(type);
  if (flaw !== undefined) {
    return `${mountPoint} is of the type ${type}, which ${flaw}: use NFS 4.1 or later, or one of the volumes in docs/storage.md`;
  }
  if (type !== "nfs" && type !== "nfs4") return undefined;
  const version = [...options].find((option) => option.startsWith("vers="))?.slice("vers=".length) ?? "";
  if (!(Number(version.split(".")[0]) >= 4)) {
    return `${mountPoint} is mounted with NFS version ${version || "unknown"}: mount it with vers=4.1 or later`;
  }
  for (const [option, reason] of UNSAFE_OPTIONS) {
    if (options.has(option)) return `${mountPoint} is mounted with the option ${option}, which ${reason}`;
  }
  return undefined;
}

const FLAW_OF_SMB = "has no links as claims need them, and shows each machine what it has cached";
const FLAW_OF_OBJECTS = "keeps files as objects: no atomic link or rename, and no honest fsync";
const UNFIT_TYPES: ReadonlyMap<string, string> = new Map([
  ["cifs", FLAW_OF_SMB],
  ["smb3", FLAW_OF_SMB],
  ["smbfs", FLAW_OF_SMB],
  ["9p", "has no coherent reads between machines"],
  ["vboxsf", "has no links"],
  ["fuse.sshfs", "has no links between machines, and no fsync that reaches the disk"],
  ["fuse.glusterfs", "shows each machine what it has cached"],
  ...["s3fs", "gcsfuse", "goofys", "mount-s3", "mountpoint-s3", "rclone", "blobfuse", "blobfuse2"].map(
    (name) => [`fuse.${name}`, FLAW_OF_OBJECTS] as const,
  ),
]);

const UNSAFE_OPTIONS: ReadonlyMap<string, string> = new Map([
  ["soft", "gives up writes that the server is slow to take, and loses them: mount it with hard"],
  ["softerr", "gives up writes that the server is slow to take, and loses them: mount it with hard"],
  ["softreval", "shows old names and files while the server does not answer: mount it without softreval"],
  ["nocto", "shows old names and files: mount it without nocto"],
]);

/** What in the mount of a directory that one process has to itself may cost what was acknowledged. */
export function cautionAbout({ type, options, mountPoint }: Mount): string | undefined {
  const risks = type === "nfs" || type === "nfs4" ? RISKS_OF_NFS : RISKS_OF_DISKS;
  for (const [option, reason] of risks) {
    if (options.has(option)) return `${mountPoint} is mounted with the option ${option}, ${reason}`;
  }
  return undefined;
}

const GIVES_UP = "which makes writes fail that the server is slow to take, and may lose them: mount it with hard";
const NO_BARRIER =
  "so a power loss may cost what an fsync has confirmed: mount it without, unless the disk's cache has a battery";
const RISKS_OF_NFS: ReadonlyMap<string, string> = new Map([
  ["soft", GIVES_UP],
  ["softerr", GIVES_UP],
]);
const RISKS_OF_DISKS: ReadonlyMap<string, string> = new Map([
  ["nobarrier", NO_BARRIER],
  ["barrier=0", NO_BARRIER],
]);

function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
