import { batch, ControlType, deleteHorizonMs, readControlBatch, readRecords } from "@kaas/core/internal";

const CODECS = Object.entries(batch.Compression).map(([name, value]) => [value, name.toLowerCase()] as const);
const CODEC_NAMES: ReadonlyMap<number, string> = new Map(CODECS);

/** What kafka-dump-log prints of a segment, with --deep-iteration and --print-data-log. */
export function dumpLines(batches: readonly Buffer[]): string[] {
  const lines: string[] = [];
  let position = 0;
  for (const one of batches) {
    lines.push(batchLine(one, position), ...(batch.isControl(one, 0) ? [markerLine(one)] : recordLines(one)));
    position += one.length;
  }
  return lines;
}

function timeName(one: Buffer): string {
  return (batch.attributes(one, 0) & batch.Attribute.LOG_APPEND_TIME) === 0 ? "CreateTime" : "LogAppendTime";
}

function batchLine(one: Buffer, position: number): string {
  const baseSequence = batch.baseSequence(one, 0);
  const span = batch.lastOffset(one, 0) - batch.baseOffset(one, 0);
  const horizon = deleteHorizonMs(one, 0);
  return [
    `baseOffset: ${batch.baseOffset(one, 0)} lastOffset: ${batch.lastOffset(one, 0)} count: ${batch.recordCount(one, 0)}`,
    `baseSequence: ${baseSequence} lastSequence: ${baseSequence < 0 ? -1 : baseSequence + span}`,
    `producerId: ${batch.producerId(one, 0)} producerEpoch: ${batch.producerEpoch(one, 0)}`,
    `partitionLeaderEpoch: ${batch.leaderEpoch(one, 0)} isTransactional: ${batch.isTransactional(one, 0)}`,
    `isControl: ${batch.isControl(one, 0)}`,
    `deleteHorizonMs: ${horizon === undefined ? "OptionalLong.empty" : `OptionalLong[${horizon}]`}`,
    `position: ${position} ${timeName(one)}: ${batch.maxTimestamp(one, 0)} size: ${one.length} magic: 2`,
    `compresscodec: ${CODEC_NAMES.get(batch.compression(one, 0))} crc: ${batch.crc(one, 0)} isvalid: true`,
  ].join(" ");
}

function recordLines(one: Buffer): string[] {
  const lines: string[] = [];
  const baseSequence = batch.baseSequence(one, 0);
  const record = readRecords(one, 0);
  while (record.next()) {
    const { offset, timestamp, key, value, headers } = record;
    const sequence = baseSequence < 0 ? -1 : baseSequence + offset - batch.baseOffset(one, 0);
    lines.push(
      `| offset: ${offset} ${timeName(one)}: ${timestamp} keySize: ${key?.length ?? -1} valueSize: ${value?.length ?? -1} ` +
        `sequence: ${sequence} headerKeys: [${headers.map((header) => header.key).join(",")}]` +
        `${key === null ? "" : ` key: ${key.toString()}`}${value === null ? "" : ` payload: ${value.toString()}`}`,
    );
  }
  return lines;
}

function markerLine(one: Buffer): string {
  const marker = readControlBatch(one, 0);
  if (marker === undefined) throw new Error("a control batch of an unknown kind");
  const record = readRecords(one, 0);
  record.next();
  const type = marker.type === ControlType.COMMIT ? "COMMIT" : "ABORT";
  return (
    `| offset: ${record.offset} ${timeName(one)}: ${record.timestamp} keySize: ${record.key?.length} ` +
    `valueSize: ${record.value?.length} sequence: -1 headerKeys: [] endTxnMarker: ${type} ` +
    `coordinatorEpoch: ${marker.coordinatorEpoch}`
  );
}
