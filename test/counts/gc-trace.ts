/** What a trace of the garbage collector says about the time in between. */
export type HeapCounts = { readonly allocatedBytes: number; readonly fullCollections: number };

const COLLECTION = /ms: (Scavenge|Mark-Compact|Mark-sweep)\b.*? ([\d.]+) \([\d.]+\) -> ([\d.]+) \([\d.]+\) MB/gi;
const MIB = 1024 * 1024;

/** Sums what each collection found beyond what the one before had left: all that was allocated, from the first on. */
export function heapCounts(trace: string): HeapCounts {
  let allocatedMib = 0;
  let fullCollections = 0;
  let left: number | undefined;
  for (const [, kind, before, after] of trace.matchAll(COLLECTION)) {
    if (left !== undefined) allocatedMib += Math.max(0, Number(before) - left);
    left = Number(after);
    if (kind !== "Scavenge") fullCollections++;
  }
  return { allocatedBytes: allocatedMib * MIB, fullCollections };
}
