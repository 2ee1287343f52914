/** The Kafka protocol, and everything a broker decides. */
export { assert, KaasError, KaasErrorCode } from "./errors/kaas-error.js";
export { ErrorCode, type ErrorName, errorName, isRetriable } from "./errors/error-codes.js";
export type * from "./ports/clock.js";
export type * from "./ports/cluster-files.js";
export type * from "./ports/memory.js";
export { type Log, type LogFields, silentLog } from "./ports/log.js";
export type * from "./ports/partition-logs.js";
export type * from "./ports/slot-journals.js";
export type * from "./ports/topics.js";
export type { Endpoint } from "./api/broker-services.js";
export { KafkaBroker, type KafkaBrokerOptions } from "./broker.js";
export { BrokerConfig } from "./config/broker-config.js";
export { logConfigOf } from "./config/topic-config.js";
export { type BatchRecord, recordsOf } from "./records/batch-contents.js";
export { type BatchOptions, buildBatch, type RecordInput } from "./records/build-batch.js";
export { Compression } from "./records/batch.js";
export type { RecordHeader } from "./records/record-reader.js";
export type { ListenerOptions } from "./server/kafka-server.js";
