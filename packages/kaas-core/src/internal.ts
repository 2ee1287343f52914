/** What sibling packages need beyond the public interface. No stability is promised here. */
export * as batch from "./records/batch.js";
