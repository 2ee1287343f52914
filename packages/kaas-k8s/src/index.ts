/** Kubernetes for kaas. */
export { type ConnectOptions, connectKubernetes, type Kubernetes } from "./api/connect.js";
export { getIfThere } from "./api/get-if-there.js";
export type * from "./api/kubernetes-api.js";
export { isStatus, KubernetesError } from "./api/kubernetes-error.js";
export type * from "./api/kubernetes-object.js";
export { apiVersionOf, describeRef, type ObjectRef, type Resource } from "./api/resource.js";
export { KAFKA_CLUSTER_ASSIGNMENTS, KAFKA_CLUSTERS, KAFKA_TOPICS, KAFKA_USERS } from "./custom-resources.js";
export { BrokerRegistry } from "./endpoints/broker-registry.js";
export { EndpointWatch, type EndpointWatchOptions } from "./endpoints/endpoint-watch.js";
export type { BrokerRegistryListener, RegisteredBroker } from "./endpoints/registered-broker.js";
export { type PodIdentity, podIdentity } from "./identity.js";
export { LeaseElector, type LeaseElectorOptions } from "./lease/lease-elector.js";
export type { LeaseListener, LeaseTiming } from "./lease/lease-listener.js";
export type { Readiness } from "./readiness/pod-condition.js";
export { ReadinessGate, type ReadinessGateOptions } from "./readiness/readiness-gate.js";
export {
  Reflector,
  type ReflectorHealth,
  type ReflectorOptions,
  type ReflectorSurroundings,
  type ReflectorTiming,
} from "./reflector/reflector.js";
export { ServerPresence } from "./reflector/server-presence.js";
export type { ReflectorSink } from "./reflector/reflector-sink.js";
export { WatchedSet, type WatchedSetListener } from "./reflector/watched-set.js";
export { NodeLabel, type NodeLabelOptions } from "./topology/node-label.js";
export { ZONE_LABEL } from "./topology/zone-label.js";
export { TopicWatch, type TopicWatchOptions } from "./topics/topic-watch.js";
export { TopicWatchState } from "./topics/topic-watch-state.js";
export type { TopicWatchListener, WatchedTopic } from "./topics/watched-topic.js";
export { KafkaTopicWriter, type TopicWriterOptions } from "./writers/topic-writer.js";
export { KafkaUserWriter, type UserWriterOptions } from "./writers/user-writer.js";
export { AssignmentsMirror, type AssignmentsMirrorOptions } from "./writers/assignments-mirror.js";
export { type VisibleChangesOptions, visibleChanges } from "./writers/visible-changes.js";
