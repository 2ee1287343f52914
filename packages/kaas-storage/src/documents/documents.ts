import { KaasError } from "@kaas/core";
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

/** A document as it is written: JSON that `cat` and `jq` read. */
export function encodeDocument<Kind extends DocumentKind>(_kind: Kind, content: DocumentTypes[Kind]): Buffer {
  const format = formatOf(content);
  return Buffer.from(`${JSON.stringify({ format, ...content })}\n`);
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
  const format = typeof value === "object" && value !== null ? (value as { format?: unknown }).format : undefined;
  if (!DOCUMENT_FORMATS.some((known) => known === format)) {
    const formats = `this version of kaas reads formats ${DOCUMENT_FORMATS_TEXT}`;
    throw invalid(path, `its format is ${JSON.stringify(format)}, ${formats}`);
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
