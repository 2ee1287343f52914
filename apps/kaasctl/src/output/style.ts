import type { FindingSeverity } from "@kaas/storage";
import type { Surroundings, TextSink } from "../surroundings.js";

/** Text with a colour or a weight, where that may be shown. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  severity(severity: FindingSeverity, text: string): string;
}

const RED = "31";
const YELLOW = "33";
const CYAN = "36";
const CODES: Readonly<Record<FindingSeverity, string>> = { error: RED, warning: YELLOW, note: CYAN };

/** Plain text, unless a terminal reads it that has not been asked to stay without colours (NO_COLOR). */
export function styleFor({ environment }: Surroundings, sink: TextSink): Style {
  const isPlain = !sink.isTerminal || (environment["NO_COLOR"] ?? "") !== "" || environment["TERM"] === "dumb";
  const wrap = (code: string, text: string): string => (isPlain ? text : `\u001b[${code}m${text}\u001b[0m`);
  return {
    bold: (text) => wrap("1", text),
    dim: (text) => wrap("2", text),
    severity: (severity, text) => wrap(CODES[severity], text),
  };
}
