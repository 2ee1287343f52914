/** The Kafka protocol, and everything a broker decides. */
export { assert, KaasError, KaasErrorCode } from "./errors/kaas-error.js";
export { ErrorCode, type ErrorName, errorName, isRetriable } from "./errors/error-codes.js";
export type * from "./ports/assignment-store.js";
export type * from "./ports/acls.js";
export type * from "./ports/clock.js";
export type * from "./ports/cluster-files.js";
export type * from "./ports/cluster-view.js";
export type * from "./ports/leadership-wishes.js";
export type * from "./ports/credentials.js";
export type * from "./ports/memory.js";
export { type Log, type LogFields, silentLog } from "./ports/log.js";
export type * from "./ports/partition-logs.js";
export type * from "./ports/secret-files.js";
export type * from "./ports/slot-journals.js";
export type * from "./ports/topics.js";
export type * from "./ports/user-admin.js";
export { ANONYMOUS, type KafkaPrincipal, parsePrincipal, userPrincipal } from "./security/kafka-principal.js";
export {
  type Assignment,
  NO_LEADER,
  type PartitionWish,
  supersedes,
  type TopicAssignment,
} from "./cluster/assignment.js";
export type * from "./cluster/controller-api.js";
export { HEARTBEAT_INTERVAL_MS, HEARTBEAT_TIMEOUT_MS } from "./cluster/heartbeat.js";
export type {
  HeartbeatAnswer,
  HeartbeatReport,
  HeartbeatVerdict,
  LedPartition,
  OpenSlots,
} from "./cluster/heartbeat.js";
export { Controller } from "./cluster/controller/controller.js";
export { LedChanges } from "./cluster/led-changes.js";
export { AssignmentView } from "./cluster/assignment-view.js";
export { SoleBroker } from "./cluster/sole-broker.js";
export { SoleLeadership } from "./cluster/sole-leadership.js";
export type { LeadershipReport } from "./cluster/leadership-report.js";
export type { Endpoint } from "./api/broker-services.js";
export { KafkaBroker, type KafkaBrokerOptions } from "./broker.js";
export { BrokerConfig } from "./config/broker-config.js";
export { Exposition, type MetricLabels, type MetricType } from "./metrics/exposition.js";
export { Histogram, LATENCY_BOUNDS_MS } from "./metrics/histogram.js";
export { logConfigOf } from "./config/topic-config.js";
export { type BatchRecord, recordsOf } from "./records/batch-contents.js";
export { type BatchOptions, buildBatch, type RecordInput } from "./records/build-batch.js";
export { Compression } from "./records/batch.js";
export { loadCodec } from "./records/compression/compression.js";
export type { RecordHeader } from "./records/record-reader.js";
export { deriveScramCredential, SCRAM_ITERATIONS_MAX, SCRAM_ITERATIONS_MIN } from "./security/sasl/scram-keys.js";
export type { ListenerOptions, SecurityProtocol } from "./server/kafka-server.js";
