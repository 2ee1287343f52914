/** What sibling packages need beyond the public interface. No stability is promised here. */
export * as batch from "./records/batch.js";
export { crc32c } from "./records/crc32c.js";
export { type RecordHeader, RecordReader } from "./records/record-reader.js";
export { type BatchFault, type BatchRules, validateBatch } from "./records/validate-batch.js";
