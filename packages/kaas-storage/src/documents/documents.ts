import { KaasError } from "@kaas/core";
import { crc32c } from "@kaas/core/internal";
import type { FileSystem } from "../file-system/file-system.js";
import type { DocumentKind, DocumentTypes } from "./document-types.js";

/** The layout of JSON files. A reader that meets one that it does not know must not guess. */
const FORMAT = 1;
/** As 1, and names segments that compaction wrote: a reader of 1 would look for other files. */
const CLEANED_FORMAT = 2;
/** As 2, and says that a partition went elsewhere: a reader of 2 would go on with what was left behind. */
const MOVED_FORMAT = 3;
/** The layouts that this version reads. */
export const DOCUMENT_FORMATS: readonly number[] = [FORMAT, CLEANED_FORMAT, MOVED_FORMAT];
/** The same for people: "1, 2 and 3". */
export const DOCUMENT_FORMATS_TEXT: string = DOCUMENT_FORMATS.join(", ").replace(/, (\d+)$/, " and $1");

/** Kinds whose content must be quoted nowhere. */
export const SECRET_KINDS: ReadonlySet<DocumentKind> = new Set<DocumentKind>(["credentials"]);

/** Kinds that nothing else on the volume could be held against: a flipped bit in them would be taken for the truth. */
const CHECKED_KINDS: ReadonlySet<DocumentKind> = new Set<DocumentKind>(["slot-snapshot"]);
/** The last field of such a document; covers all bytes before it. */
const CHECKSUM = /,"crc32c":"([0-9a-f]{8})"\}\n$/;
const CHECKSUM_BYTES = ',"crc32c":"00000000"}\n'.length;

/** A document as it is written: JSON that `cat` and `jq` read. */
export function encodeDocument<Kind extends DocumentKind>(kind: Kind, content: DocumentTypes[Kind]): Buffer {
  const format = formatOf(content);
  const json = JSON.stringify({ format, ...content });
  if (!CHECKED_KINDS.has(kind)) return Buffer.from(`${json}\n`);
  const buffer = Buffer.from(`${json.slice(0, -1)},"crc32c":"00000000"}\n`);
  const end = buffer.length - CHECKSUM_BYTES;
  buffer.write(`,"crc32c":"${checksumOf(buffer, end)}"}\n`, end);
  return buffer;
}

function checksumOf(content: Buffer, end: number): string {
  return crc32c(content, 0, end).toString(16).padStart(8, "0");
}

/** Documents of earlier versions have no checksum. */
function refuseChanged(content: Buffer, path: string): void {
  const end = Math.max(0, content.length - CHECKSUM_BYTES);
  const expected = CHECKSUM.exec(content.toString("latin1", end))?.[1];
  if (expected !== undefined && expected !== checksumOf(content, end)) {
    throw invalid(path, "its content does not match its checksum");
  }
}

function formatOf(content: DocumentTypes[DocumentKind]): number {
  if ("movedTo" in content && content.movedTo !== undefined) return MOVED_FORMAT;
  const namesCleaned = "segments" in content && content.segments.some(({ generation }) => generation !== undefined);
  return namesCleaned ? CLEANED_FORMAT : FORMAT;
}

/** Reads and checks a document. Rejects with `KAAS_VOLUME_INVALID` when it is not what its kind says. */
export async function readDocument<Kind extends DocumentKind>(
  fileSystem: FileSystem,
  path: string,
  kind: Kind,
): Promise<DocumentTypes[Kind]> {
  const content = await fileSystem.readFile(path);
  return decodeDocument(content, path, kind);
}

/** Checks what was read from `path`, as {@link readDocument} does. */
export async function decodeDocument<Kind extends DocumentKind>(
  content: Buffer,
  path: string,
  kind: Kind,
): Promise<DocumentTypes[Kind]> {
  const value = parseJson(content, path, kind);
  if (CHECKED_KINDS.has(kind)) refuseChanged(content, path);
  const format = typeof value === "object" && value !== null ? (value as { format?: unknown }).format : undefined;
  if (!DOCUMENT_FORMATS.some((known) => known === format)) {
    const formats = `this version of kaas reads formats ${DOCUMENT_FORMATS_TEXT}`;
    throw invalid(
      path,
      format === undefined ? `it has no format, ${formats}` : `its format is ${JSON.stringify(format)}, ${formats}`,
    );
  }
  const { documentSchemas } = await import("./document-schemas.js");
  const result = documentSchemas[kind].safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw invalid(path, `${issue?.path.join(".") || "it"}: ${issue?.message ?? "not as expected"}`);
}

function parseJson(content: Buffer, path: string, kind: DocumentKind): unknown {
  try {
    return JSON.parse(content.toString("utf8"));
  } catch (error) {
    // The parser quotes what it could not read.
    throw invalid(path, "it is not JSON", SECRET_KINDS.has(kind) ? undefined : error);
  }
}

function invalid(path: string, reason: string, cause?: unknown): KaasError {
  return new KaasError("KAAS_VOLUME_INVALID", `${path} is not usable: ${reason}`, { cause });
}
