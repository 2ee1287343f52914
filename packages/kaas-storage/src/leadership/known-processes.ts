import { readDocument } from "../documents/documents.js";
import { type FileSystem, isErrno, isListed, listIfThere } from "../file-system/file-system.js";
import { brokersDirectory, descriptionName, fuseOwner, type Incarnation } from "./fuse-file.js";

/**
 * Where a process that uses the volume says that it is reached (`brokerEndpoints` of its opening); undefined where it is
 * gone, or never was.
 *
 * @param cluster the cluster directory
 */
export async function incarnationEndpoints(
  fileSystem: FileSystem,
  cluster: string,
  { broker, incarnation }: Incarnation,
): Promise<readonly string[] | undefined> {
  const directory = `${brokersDirectory(cluster)}/${broker}`;
  const file = descriptionName(incarnation);
  try {
    if (!(await isListed(fileSystem, directory, file))) return undefined;
    return (await readDocument(fileSystem, `${directory}/${file}`, "incarnation")).endpoints;
  } catch (error) {
    if (isErrno(error, "ENOENT") || isErrno(error, "ESTALE")) return undefined;
    throw error;
  }
}

/**
 * Whether another process of the same name uses the volume: it started later, for whoever starts ends those before it, and
 * lives unless it crashed since.
 *
 * @param cluster the cluster directory
 */
export async function hasSuccessor(
  fileSystem: FileSystem,
  cluster: string,
  { broker, incarnation }: Incarnation,
): Promise<boolean> {
  const entries = (await listIfThere(fileSystem, `${brokersDirectory(cluster)}/${broker}`)) ?? [];
  const owners = entries.map(({ name }) => fuseOwner(name));
  return owners.some((owner) => owner !== undefined && owner !== incarnation);
}
