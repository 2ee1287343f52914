import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { batch, loadCodec } from "@kaas/core/internal";
import { describeBatch } from "../../packages/kaas-core/test/conformance/describe-batch.js";
import { dumpLines } from "./dump-lines.js";

interface Released {
  readonly segments: readonly {
    readonly epoch: number;
    readonly baseOffset: number;
    readonly sizeBytes: number;
    readonly generation?: number;
  }[];
}

const digits = (value: number, count: number): string => String(value).padStart(count, "0");

/**
 * Gives the segments of a partition that was handed over the names that Apache Kafka's tools want, each as long as the
 * marker says: what lies beyond does not exist. Beside them: what is to be read out of them.
 */
export async function exportSegments(partition: string, into: string): Promise<void> {
  mkdirSync(into, { recursive: true });
  const marker = readdirSync(partition)
    .filter((name) => name.endsWith(".released"))
    .sort()
    .at(-1);
  if (marker === undefined) throw new Error(`${partition} was not handed over`);
  const { segments } = JSON.parse(readFileSync(join(partition, marker), "utf8")) as Released;
  const expected: string[] = [];
  for (const { epoch, baseOffset, sizeBytes, generation } of segments) {
    const suffix = generation === undefined ? "" : `-${digits(generation, 8)}`;
    const ours = join(partition, `${digits(epoch, 8)}-${digits(baseOffset, 20)}${suffix}`);
    const theirs = join(into, digits(baseOffset, 20));
    const bytes = readFileSync(`${ours}.log`).subarray(0, sizeBytes);
    if (bytes.length !== sizeBytes) throw new Error(`${ours}.log is shorter than ${marker} says`);
    writeFileSync(`${theirs}.log`, bytes);
    for (const kind of ["index", "timeindex", "txnindex"]) {
      if (existsSync(`${ours}.${kind}`)) copyFileSync(`${ours}.${kind}`, `${theirs}.${kind}`);
    }
    const batches = await batchesOf(bytes);
    expected.push(...batches.map((one) => JSON.stringify(describeBatch(one))));
    writeFileSync(`${theirs}.dump`, `${dumpLines(batches).join("\n")}\n`);
  }
  writeFileSync(join(into, "expected"), `${expected.join("\n")}\n`);
}

/** The batches of a segment, with their codecs loaded. */
export async function batchesOf(bytes: Buffer): Promise<Buffer[]> {
  const batches: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = batch.batchSize(bytes, at);
    const one = bytes.subarray(at, at + size);
    await loadCodec(batch.compression(one, 0));
    batches.push(one);
    at += size;
  }
  return batches;
}
