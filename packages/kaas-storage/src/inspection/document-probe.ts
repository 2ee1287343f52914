import { readIfThere } from "../file-system/file-system.js";
import { KaasError } from "@kaas/core";
import type { DocumentKind, DocumentTypes } from "../documents/document-types.js";
import { DOCUMENT_FORMATS, DOCUMENT_FORMATS_TEXT, decodeDocument, SECRET_KINDS } from "../documents/documents.js";
import { type Finding, finding } from "./finding.js";
import { unreadable, type VolumeView } from "./volume-view.js";

/** What became of reading a document. `gone`: it was not there, or no longer. */
export type DocumentProbe<Kind extends DocumentKind> =
  | { readonly state: "valid"; readonly value: DocumentTypes[Kind] }
  | { readonly state: "gone" }
  | { readonly state: "bad"; readonly finding: Finding };

/** Reads a document, and says what is wrong with it instead of throwing. */
export async function probeDocument<Kind extends DocumentKind>(
  view: VolumeView,
  path: string,
  kind: Kind,
): Promise<DocumentProbe<Kind>> {
  let content: Buffer | undefined;
  try {
    content = await readIfThere(view.fileSystem, path);
  } catch (error) {
    return { state: "bad", finding: unreadable(path, error) };
  }
  if (content === undefined) return { state: "gone" };
  try {
    return { state: "valid", value: await decodeDocument(content, path, kind) };
  } catch (error) {
    if (!(error instanceof KaasError)) throw error;
    return { state: "bad", finding: judge(content, path, kind, error) };
  }
}

function judge(content: Buffer, path: string, kind: DocumentKind, error: KaasError): Finding {
  let value: unknown;
  try {
    value = JSON.parse(content.toString("utf8"));
  } catch (cause) {
    const isQuotable = !SECRET_KINDS.has(kind) && cause instanceof Error; // the parser quotes what it could not read
    return finding("json-unreadable", path, isQuotable ? cause.message : "it is not JSON");
  }
  const format = typeof value === "object" && value !== null ? (value as { format?: unknown }).format : undefined;
  if (typeof format === "number" && !DOCUMENT_FORMATS.includes(format)) {
    return finding(
      "format-unknown",
      path,
      `its format is ${format}, this version reads formats ${DOCUMENT_FORMATS_TEXT}`,
    );
  }
  return finding("document-invalid", path, error.message.replace(`${path} is not usable: `, ""));
}
