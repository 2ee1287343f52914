// main.ts TOOL FOLDER KAFKA_PORT KAFKA_DATA KAAS_PORT: segments of kaas are read by Apache Kafka's DumpLogSegments,
// segments of Apache Kafka are served by kaas. Prints ok/FAIL lines, then 'done'.
import { isDeepStrictEqual } from "node:util";
import { Rows } from "../lib/rows.js";
import { type DumpedFile, dump } from "./dumped.js";
import { type Case, writeAll } from "./kaas-logs.js";
import { serveKafkasSegments } from "./kafka-segments.js";
import { type LinkedSegments, linkSegments } from "./segments.js";

const [tool = "", folder = "", kafkaPort, kafkaData = "", kaasPort] = process.argv.slice(2);
const rows = new Rows();

function report(name: string, wrong: string | undefined): void {
  rows.report(name, wrong === undefined ? [] : [wrong]);
}

const cases = await writeAll(`${folder}/kaas`);
const linked = cases.map(({ log }, index) => linkSegments(log.directory, `${folder}/as-kafka/${index}`));
const dumped = dump(
  tool,
  linked.flatMap(({ logs, indexes }) => [...logs, ...indexes]),
);
cases.forEach((one, index) => {
  const files = linked[index] as LinkedSegments;
  report(
    `${one.name}: ${files.logs.length} segments are read by Apache Kafka, record by record`,
    unlikeItsKind(one, files) ?? unlike(one, files.logs),
  );
  if (one.log.aborted.length > 0)
    report(`${one.name}: the index of aborted transactions is read by Apache Kafka`, unlikeIndex(one, files.indexes));
});
for (const { name, wrong } of await serveKafkasSegments(Number(kafkaPort), kafkaData, Number(kaasPort)))
  report(name, wrong);
rows.end();

function unlikeItsKind({ isOf = {} }: Case, { logs, longer, cleaned }: LinkedSegments): string | undefined {
  if (logs.length < (isOf.segments ?? 1)) return `it has ${logs.length} segments`;
  if (longer < (isOf.longer ?? 0)) return "no file goes on behind what is in force";
  return cleaned < (isOf.cleaned ?? 0) ? "no segment was written by compaction" : undefined;
}

function unlike({ log }: Case, files: readonly string[]): string | undefined {
  const parts = files.map((file) => dumped.get(file));
  if (parts.some((part) => part === undefined)) return "a segment was not read";
  const remarks = (parts as DumpedFile[]).flatMap((part) => part.remarks);
  if (remarks.length > 0) return `the tool says ${remarks.slice(0, 3).join(" | ")}`;
  const found = (parts as DumpedFile[]).flatMap(({ batches }) => batches);
  const expected = log.batches.filter(({ records }) => records.length > 0);
  for (const [index, batch] of expected.entries()) {
    if (!isDeepStrictEqual(found[index], batch))
      return `batch ${index} is ${JSON.stringify(found[index])}, not ${JSON.stringify(batch)}`;
  }
  return found.length === expected.length ? undefined : `${found.length} batches, not ${expected.length}`;
}

function unlikeIndex({ log }: Case, files: readonly string[]): string | undefined {
  const found = files.flatMap((file) => dumped.get(file)?.transactions ?? []);
  const expected = log.aborted.map(
    ({ producerId, firstOffset, lastOffset, lastStableOffset }) =>
      `version: 0 producerId: ${producerId} firstOffset: ${firstOffset} lastOffset: ${lastOffset} lastStableOffset: ${lastStableOffset}`,
  );
  return isDeepStrictEqual(found, expected) ? undefined : `${JSON.stringify(found)}, not ${JSON.stringify(expected)}`;
}
