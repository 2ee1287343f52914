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
export type { ListenerOptions } from "./server/kafka-server.js";
