import { KaasError } from "@kaas/core";
import type { DocumentKind, DocumentTypes } from "../documents/document-types.js";
import { readDocument } from "../documents/documents.js";
import { isTemporaryName } from "../documents/durable-files.js";
import { type DirectoryEntry, type FileSystem, isErrno, removeFile } from "../file-system/file-system.js";
import { type PartitionFile, parsePartitionFile } from "./file-names.js";

/** A file of a partition's directory by what its name says. */
export type ListedFile = PartitionFile & { readonly name: string };

/** What a partition's directory lists, by name alone. */
export class PartitionFiles {
  readonly directory: string;
  readonly files: readonly ListedFile[];
  /** What crashed writers left behind. */
  readonly temporary: readonly string[];

  constructor(directory: string, files: readonly ListedFile[], temporary: readonly string[]) {
    this.directory = directory;
    this.files = files;
    this.temporary = temporary;
  }

  static async list(fileSystem: FileSystem, directory: string): Promise<PartitionFiles> {
    return PartitionFiles.of(directory, await fileSystem.list(directory));
  }

  static of(directory: string, entries: readonly DirectoryEntry[]): PartitionFiles {
    const files: ListedFile[] = [];
    const temporary: string[] = [];
    for (const { name } of entries) {
      const file = parsePartitionFile(name);
      if (file !== undefined) files.push({ ...file, name });
      else if (isTemporaryName(name)) temporary.push(name);
    }
    return new PartitionFiles(directory, files, temporary);
  }

  /** The highest epoch that a kind of file carries, below a bound; −1 when there is none. */
  highestEpoch(kind: PartitionFile["kind"], below: number = Number.POSITIVE_INFINITY): number {
    let highest = -1;
    for (const file of this.files) {
      if (file.kind === kind && file.epoch < below && file.epoch > highest) highest = file.epoch;
    }
    return highest;
  }

  /** Files of a kind and an epoch, ascending by their offset or number. */
  of(kind: PartitionFile["kind"], epoch: number): ListedFile[] {
    return this.files.filter((file) => file.kind === kind && file.epoch === epoch).sort((a, b) => a.number - b.number);
  }

  path(name: string): string {
    return `${this.directory}/${name}`;
  }
}

/** Reads a document that others can be made from, if it is there and whole. */
export async function readHint<Kind extends DocumentKind>(
  fileSystem: FileSystem,
  path: string,
  kind: Kind,
): Promise<DocumentTypes[Kind] | undefined> {
  try {
    return await readDocument(fileSystem, path, kind);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    if (error instanceof KaasError && error.code === "KAAS_VOLUME_INVALID") return undefined;
    throw error;
  }
}

/**
 * Removes what a durable seal made obsolete: everything of lower epochs that is not a segment in force, and what was
 * never finished. Names that are not ours stay.
 */
export async function sweepPartition(
  fileSystem: FileSystem,
  listed: PartitionFiles,
  keep: (file: ListedFile) => boolean,
): Promise<void> {
  for (const file of listed.files) {
    if (!keep(file)) await removeFile(fileSystem, listed.path(file.name));
  }
  for (const name of listed.temporary) await removeFile(fileSystem, listed.path(name));
}
