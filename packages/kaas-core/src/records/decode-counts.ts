/** How much has been decoded since the process began. */
export interface DecodeCounts {
  readonly recordsDecoded: number;
  /** Batches whose records were decompressed, whatever for. */
  readonly batchesDecompressed: number;
}

let recordsDecoded = 0;
let batchesDecompressed = 0;

/** Called for every record that is decoded, and nowhere else. */
export function noteRecordDecoded(): void {
  recordsDecoded++;
}

/** Called whenever the records of a batch are decompressed, and nowhere else. */
export function noteBatchDecompressed(): void {
  batchesDecompressed++;
}

/**
 * Counts of the process, for metrics, and for the test that Produce and Fetch decode nothing. What does decode:
 * look-up by time within a batch, topics that are compacted, compress anew or bound timestamps, compaction, recovery of
 * transactions (markers), and tools.
 */
export function decodeCounts(): DecodeCounts {
  return { recordsDecoded, batchesDecompressed };
}
