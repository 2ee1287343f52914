/** What sibling packages need beyond the public interface. No stability is promised here. */
export { BufferPool, type BufferPoolOptions, type PooledBuffer } from "./memory/buffer-pool.js";
export { Leases } from "./memory/leases.js";
export * as batch from "./records/batch.js";
export {
  DECOMPRESSED_BYTES_MAX,
  decompressedRecords,
  findTimestamp,
  keylessRecords,
  readRecords,
  readRecordsInPool,
  recordIndexes,
  type TimestampedOffset,
} from "./records/batch-records.js";
export { type BatchOptions, buildBatch, type RecordInput, sealBatch } from "./records/build-batch.js";
export {
  compress,
  compressInPool,
  decompress,
  decompressInPool,
  loadCodec,
} from "./records/compression/compression.js";
export {
  type BatchPlace,
  buildTransactionMarker,
  type ControlRecord,
  ControlType,
  readControlBatch,
  type TransactionMarker,
} from "./records/control-batch.js";
export { decodeCounts, type DecodeCounts } from "./records/decode-counts.js";
export { crc32c } from "./records/crc32c.js";
export { recompressBatch } from "./records/recompress-batch.js";
export { type RecordBase, type RecordHeader, RecordReader } from "./records/record-reader.js";
export { deleteHorizonMs, emptiedBatch, retainedBatch, type RetainedRecords } from "./records/retained-batch.js";
export { type BatchFault, type BatchRules, validateBatch } from "./records/validate-batch.js";
export { GroupOffsets } from "./groups/offsets/group-offsets.js";
export { slotOf } from "./groups/murmur2.js";
export { readSlotEntry, readSlotSnapshot } from "./groups/slot/slot-entry-reader.js";
export type { SlotEntry, SlotSnapshot, SnapshotGroup } from "./groups/slot/slot-entry.js";
export { nearestName } from "./config/nearest-name.js";
export { type Placement, type Plan, plan, type PlanRequest, type PlanTopic } from "./cluster/balancer/plan.js";
export type { PlanBroker } from "./cluster/balancer/broker-table.js";
export { Gate } from "./cluster/gate.js";
export { topicNameProblem } from "./cluster/topic-names.js";
export { parseProperties, PropertiesError, type Property } from "./config/properties.js";
export type { ApiCodec } from "./messages/api-codec.js";
export { apiCodecs, readResponseHeader, writeRequestHeader } from "./messages/generated/index.js";
export type * as messages from "./messages/generated/index.js";
export { operationNames, patternTypeNames, permissionNames, resourceTypeNames, AclCode } from "./security/acl-codes.js";
export { entityOf, isQuotaEntityType, isQuotaKey } from "./security/quotas/quota-entity.js";
export { loginOptionsOfJaas, PLAIN_LOGIN_MODULE } from "./security/sasl/jaas.js";
export { saltedPassword, scramHash, scramHmac } from "./security/sasl/scram-keys.js";
export { certificatesOf, privateKeysOf } from "./server/tls/pem.js";
export { scramMechanismOf } from "./api/scram-codes.js";
export { Reader, ZERO_UUID } from "./wire/reader.js";
export { Writer } from "./wire/writer.js";
