import type { DumpedBatch, DumpedItem, DumpedRecord } from "@kaas/storage";
import { renderFindings } from "../output/findings.js";
import { contentValue, shownContent, shownNumber, shownTime } from "../output/shown.js";
import type { Style } from "../output/style.js";
import { lineOf } from "../output/table.js";
import { type Action, EXIT, partitionOf, topicNamed } from "../session.js";

export interface LogDumpOptions {
  readonly topic: string;
  readonly partition: number;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly decode: boolean;
}

/** `log dump TOPIC PARTITION` */
export function dumpLog({ topic, partition, from, to, decode }: LogDumpOptions): Action {
  return async (session) => {
    const inspection = await session.open();
    const place = partitionOf(await topicNamed(inspection, topic), partition);
    const { style, output } = session;
    const list = await output.list();
    if (output.format === "table") await output.text(`${style.bold(lineOf(COLUMNS, WIDTHS, TITLES))}\n`);
    let isSound = true;
    const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    for await (const item of inspection.batches(place, { ...range, decode })) {
      if (isBad(item)) isSound = false;
      if (output.isClosed) break;
      const wanted = item.kind === "batch" ? withinRange(item, from, to) : item;
      await list.item(valueOf(wanted), () => render(wanted, style));
    }
    await list.end();
    return isSound ? EXIT.SOUND : EXIT.UNSOUND;
  };
}

function isBad(item: DumpedItem): boolean {
  if (item.kind === "finding") return item.finding.severity !== "note";
  return !item.isSound || item.problem !== undefined;
}

/** A batch at the edge of the range comes whole; its records do not. */
function withinRange(batch: DumpedBatch, from = 0, to = Number.POSITIVE_INFINITY): DumpedBatch {
  if (batch.records === undefined) return batch;
  return { ...batch, records: batch.records.filter(({ offset }) => offset >= from && offset <= to) };
}

const TITLES = ["OFFSETS", "COUNT", "EPOCH", "CODEC", "PRODUCER", "SEQUENCE", "KIND", "TIME", "BYTES", "POSITION"];
const WIDTHS = [23, 6, 5, 6, 12, 8, 14, 24, 8, 10];
const COLUMNS = TITLES.map((title) => ({
  isNumber: ["COUNT", "EPOCH", "SEQUENCE", "BYTES", "POSITION"].includes(title),
}));

function render(item: DumpedItem, style: Style): string {
  if (item.kind === "finding") return renderFindings([item.finding], style);
  const line = `${lineOf(COLUMNS, WIDTHS, cellsOf(item))}\n`;
  const records = (item.records ?? []).map((record) => renderRecord(record, style)).join("");
  const problem =
    item.problem === undefined ? "" : `    ${style.severity("error", "not decodable")}: ${item.problem}\n`;
  const damage = item.isSound
    ? ""
    : `    ${style.severity("error", "error")} ${item.file}: its checksum does not match\n`;
  return line + damage + records + problem;
}

function cellsOf(batch: DumpedBatch): string[] {
  const producer = batch.producerId < 0 ? "-" : `${batch.producerId}:${batch.producerEpoch}`;
  return [
    `${batch.baseOffset}..${batch.lastOffset}`,
    String(batch.recordCount),
    String(batch.leaderEpoch),
    batch.compression,
    producer,
    shownNumber(batch.baseSequence),
    kindOf(batch),
    shownTime(batch.maxTimestamp),
    String(batch.sizeBytes),
    String(batch.position),
  ];
}

function kindOf({ control, isTransactional }: DumpedBatch): string {
  if (control !== undefined) return `control:${control.type}`;
  return isTransactional ? "transactional" : "records";
}

function renderRecord({ offset, timestamp, key, value, headers }: DumpedRecord, style: Style): string {
  const shownHeaders = headers.map((header) => ` ${style.dim(header.key)}=${shownContent(header.value)}`).join("");
  return `    ${offset}  ${shownTime(timestamp)}  ${shownContent(key)}  ${shownContent(value)}${shownHeaders}\n`;
}

/** What programs get: bytes as text, where they are text. */
function valueOf(item: DumpedItem): unknown {
  if (item.kind === "finding") return { kind: "finding", ...item.finding };
  const { records, ...batch } = item;
  if (records === undefined) return batch;
  return {
    ...batch,
    records: records.map(({ key, value, headers, ...record }) => ({
      ...record,
      key: contentValue(key),
      value: contentValue(value),
      headers: headers.map((header) => ({ key: header.key, value: contentValue(header.value) })),
    })),
  };
}
