/**
 * A journal is text, one entry a line:
 *
 * ```
 * {"sequence":12,"group":11,"crc32c":"9a7c01f2","entry":{…}}
 * ```
 *
 * `sequence` counts from 1 in each file. `group` is the sequence number of the first line that the same fsync covered:
 * a group is written after the one before is durable, so a bad line that is followed by a line of a later group is
 * damage, and a bad line that is not was torn by a crash. The checksum covers both numbers and the entry's text.
 */
import { type Json, KaasError } from "@kaas/core";
import { crc32c } from "@kaas/core/internal";

const LINE = /^\{"sequence":(\d+),"group":(\d+),"crc32c":"([0-9a-f]{8})","entry":/;

export function encodeLine(sequence: number, group: number, entry: Json): string {
  const text = JSON.stringify(entry);
  const checksum = checksumOf(sequence, group, text);
  return `{"sequence":${sequence},"group":${group},"crc32c":"${checksum}","entry":${text}}\n`;
}

function checksumOf(sequence: number, group: number, text: string): string {
  return crc32c(Buffer.from(`${sequence} ${group} ${text}`))
    .toString(16)
    .padStart(8, "0");
}

export interface JournalContent {
  readonly entries: readonly Json[];
  /** Bytes behind the last whole line: the rest of a write that a crash cut off, unless it is damage. */
  readonly tornBytes: number;
}

/** A line that cannot be read, and was durable. */
export interface JournalDamage {
  readonly position: number;
  /** What is wrong, for people; where, it does not say. */
  readonly reason: string;
}

/** Reads a journal up to where a crash tore it. Throws `KAAS_VOLUME_INVALID` where it is damaged. */
export function decodeLines(content: Buffer, path: string): JournalContent {
  const { damage, ...whole } = scanLines(content);
  if (damage === undefined) return whole;
  const { position, reason } = damage;
  throw new KaasError("KAAS_VOLUME_INVALID", `${path} is damaged at byte ${position}: ${reason}`);
}

/** Reads a journal up to its first line that is not whole, and says whether that one is damage. */
export function scanLines(content: Buffer): JournalContent & { readonly damage: JournalDamage | undefined } {
  const entries: Json[] = [];
  let at = 0;
  while (at < content.length) {
    const end = content.indexOf(0x0a, at);
    const line = end < 0 ? undefined : decodeLine(content.toString("utf8", at, end));
    if (line === undefined || line.sequence !== entries.length + 1) {
      return { entries, tornBytes: content.length - at, damage: findDamage(content, at, entries.length + 1) };
    }
    entries.push(line.entry);
    at = end + 1;
  }
  return { entries, tornBytes: 0, damage: undefined };
}

interface Line {
  readonly sequence: number;
  readonly group: number;
  readonly entry: Json;
}

function decodeLine(line: string): Line | undefined {
  const match = LINE.exec(line);
  if (match === null || !line.endsWith("}")) return undefined;
  const sequence = Number(match[1]);
  const group = Number(match[2]);
  const text = line.slice(match[0].length, -1);
  if (checksumOf(sequence, group, text) !== match[3]) return undefined;
  return { sequence, group, entry: JSON.parse(text) as Json };
}

/** The line with this sequence number is bad. If it had become durable, something later says so. */
function findDamage(content: Buffer, from: number, sequence: number): JournalDamage | undefined {
  for (let at = content.indexOf(0x0a, from) + 1; at > 0 && at < content.length; ) {
    const end = content.indexOf(0x0a, at);
    if (end < 0) return undefined;
    const line = decodeLine(content.toString("utf8", at, end));
    if (line !== undefined && line.group > sequence) {
      return { position: from, reason: `entry ${sequence} is not readable, and was durable` };
    }
    at = end + 1;
  }
  return undefined;
}
