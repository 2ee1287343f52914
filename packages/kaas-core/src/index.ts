/** The Kafka protocol, and everything a broker decides. */
export { assert, KaasError, KaasErrorCode } from "./errors/kaas-error.js";
export { ErrorCode, type ErrorName, errorName, isRetriable } from "./errors/error-codes.js";
export type * from "./ports/clock.js";
export type * from "./ports/cluster-files.js";
export { type Log, type LogFields, silentLog } from "./ports/log.js";
export type * from "./ports/partition-logs.js";
export type * from "./ports/slot-journals.js";
export type * from "./ports/topics.js";
