import { KaasError } from "@kaas/core";
import type { FileSystem } from "../file-system/file-system.js";
import type { DocumentKind, DocumentTypes } from "./document-types.js";

/** The layout of JSON files. A reader that meets one that it does not know must not guess. */
const FORMAT = 1;
/** As 1, and names segments that compaction wrote: a reader of 1 would look for other files. */
const CLEANED_FORMAT = 2;
/** The layouts that this version reads. */
export const DOCUMENT_FORMATS: readonly number[] = [FORMAT, CLEANED_FORMAT];

/** Kinds whose content must be quoted nowhere. */
export const SECRET_KINDS: ReadonlySet<DocumentKind> = new Set<DocumentKind>(["credentials"]);

/** A document as it is written: JSON that `cat` and `jq` read. */
export function encodeDocument<Kind extends DocumentKind>(_kind: Kind, content: DocumentTypes[Kind]): Buffer {
  const format = namesCleanedSegments(content) ? CLEANED_FORMAT : FORMAT;
  return Buffer.from(`${JSON.stringify({ format, ...content })}\n`);
}

function namesCleanedSegments(content: DocumentTypes[DocumentKind]): boolean {
  return "segments" in content && content.segments.some(({ generation }) => generation !== undefined);
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
    const known = DOCUMENT_FORMATS.join(" and ");
    throw invalid(path, `its format is ${JSON.stringify(format)}, this version of kaas reads formats ${known}`);
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
