/** How values look in tables. */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** 1536 → 1.5 KiB. */
export function shownBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(1)} ${UNITS[unit]}`;
}

/** Milliseconds since 1970 as a date; `-` where there is none. */
export function shownTime(timestamp: number | null | undefined): string {
  if (timestamp === null || timestamp === undefined || timestamp < 0) return "-";
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? String(timestamp) : date.toISOString();
}

/** A number that −1 stands in for when there is none. */
export function shownNumber(value: number | undefined): string {
  return value === undefined || value < 0 ? "-" : String(value);
}

/** One of a thing, several of it. */
export function counted(count: number, one: string, several: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** Bytes of a record: as text, where they are text, else as base64. Never anything that moves a terminal's cursor. */
export function shownContent(bytes: Buffer | null): string {
  if (bytes === null) return "null";
  const text = textOf(bytes);
  return text === undefined ? `base64:${bytes.toString("base64")}` : JSON.stringify(text);
}

/** The same for programs: one of the two, or null. */
export function contentValue(bytes: Buffer | null): { readonly text: string } | { readonly base64: string } | null {
  if (bytes === null) return null;
  const text = textOf(bytes);
  return text === undefined ? { base64: bytes.toString("base64") } : { text };
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Those that are part of text everywhere are no more than white space. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;

function textOf(bytes: Buffer): string | undefined {
  try {
    const text = decoder.decode(bytes);
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
