/** Kubernetes for kaas. */
export type * from "./api/kubernetes-api.js";
export { isStatus, KubernetesError } from "./api/kubernetes-error.js";
export type * from "./api/kubernetes-object.js";
export { apiVersionOf, describeRef, type ObjectRef, type Resource } from "./api/resource.js";
export { type PodIdentity, podIdentity } from "./identity.js";
export type { LeaseListener, LeaseTiming } from "./lease/lease-listener.js";
export type { RegisteredBroker, BrokerRegistryListener } from "./endpoints/registered-broker.js";
export type { ReflectorSink } from "./reflector/reflector-sink.js";
export type { TopicWatchListener, WatchedTopic } from "./topics/watched-topic.js";
export type { TopicRef, TopicWriter } from "./writers/topic-writer.js";
