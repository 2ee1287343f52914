import type { Broker } from "./api/broker-services.js";
import type { Topic } from "./cluster/topic-table.js";
import type { Exposition } from "./metrics/exposition.js";
import { TopicCounter } from "./metrics/topic-metrics.js";
import { ServerCounter, type ServerMetrics } from "./server/server-metrics.js";

/** By topic, with the names that dashboards for Apache Kafka have. */
const TOPIC_FAMILIES: readonly (readonly [TopicCounter, string, string])[] = [
  [TopicCounter.MESSAGES_IN, "messagesin", "Records appended."],
  [TopicCounter.BYTES_IN, "bytesin", "Bytes of record batches appended."],
  [TopicCounter.BYTES_OUT, "bytesout", "Bytes of record batches sent to consumers."],
  [TopicCounter.PRODUCE_REQUESTS, "totalproducerequests", "Partitions of produce requests."],
  [TopicCounter.PRODUCE_REQUESTS_FAILED, "failedproducerequests", "Partitions of produce requests that failed."],
  [TopicCounter.FETCH_REQUESTS, "totalfetchrequests", "Partitions of answers to fetch requests."],
  [TopicCounter.FETCH_REQUESTS_FAILED, "failedfetchrequests", "Partitions of fetch requests that failed."],
];

const SERVER_FAMILIES: readonly (readonly [ServerCounter, string, string])[] = [
  [ServerCounter.CONNECTIONS_ACCEPTED, "kaas_connections_accepted_total", "Connections accepted."],
  [ServerCounter.CONNECTIONS_REFUSED, "kaas_connections_refused_total", "Connections refused by a limit."],
  [ServerCounter.CONNECTIONS_CLOSED_IDLE, "kaas_connections_closed_idle_total", "Connections closed for being idle."],
  [
    ServerCounter.CONNECTIONS_CLOSED_BAD_INPUT,
    "kaas_connections_closed_bad_input_total",
    "Connections closed for what the client sent.",
  ],
  [ServerCounter.TLS_HANDSHAKES_FAILED, "kaas_tls_handshakes_failed_total", "TLS handshakes that came to nothing."],
  [ServerCounter.AUTHENTICATIONS_FAILED, "kaas_authentications_failed_total", "Logins by SASL that failed."],
  [ServerCounter.REQUESTS_THROTTLED, "kaas_requests_throttled_total", "Requests beyond the quota of their client."],
  [ServerCounter.THROTTLED_MS, "kaas_throttled_milliseconds_total", "How long clients were told to wait in all."],
  [ServerCounter.BYTES_IN, "kaas_network_bytes_in_total", "Bytes received from clients."],
  [ServerCounter.BYTES_OUT, "kaas_network_bytes_out_total", "Bytes sent to clients."],
  [ServerCounter.READS_PAUSED, "kaas_reads_paused_total", "Times that a client was not read from for a while."],
];

/** Writes what a broker has counted, and how it is. Costs what there is to say: only for those who scrape. */
export function writeBrokerMetrics(exposition: Exposition, services: Broker, server: ServerMetrics): void {
  const topics = [...services.topics.all()];
  for (const [counter, name, help] of TOPIC_FAMILIES) {
    exposition.family(`kafka_server_brokertopicmetrics_${name}_total`, "counter", help);
    for (const topic of topics) {
      const value = topic.metrics.counters[counter] as number;
      if (value > 0) exposition.sample(value, { topic: topic.name });
    }
  }
  writeRequests(exposition, services, server);
  for (const [counter, name, help] of SERVER_FAMILIES) {
    exposition.single(name, "counter", help, server.counters[counter] as number);
  }
  exposition.single(
    "kafka_server_socket_server_metrics_connection_count",
    "gauge",
    "Open connections of clients.",
    server.openConnections,
  );
  writePartitions(exposition, topics);
  writeGroups(exposition, services);
}

function writeRequests(exposition: Exposition, { apis }: Broker, server: ServerMetrics): void {
  const served = [...server.requests.keys()].flatMap((key) => {
    const api = apis.lookup(key)?.codec.name;
    return api === undefined || server.requests[key] === 0 ? [] : [{ key, api }];
  });
  exposition.family("kaas_requests_total", "counter", "Requests, by API.");
  for (const { key, api } of served) exposition.sample(server.requests[key] as number, { api });
  exposition.family("kaas_request_errors_total", "counter", "Requests that could not be handled, by API.");
  for (const { key, api } of served) exposition.sample(server.errors[key] as number, { api });
  exposition.family("kaas_request_duration_seconds", "histogram", "From a request's start to its answer, by API.");
  for (const { key, api } of served) {
    const durations = server.durations[key];
    if (durations !== undefined) exposition.seconds(durations, { api });
  }
}

function writePartitions(exposition: Exposition, topics: readonly Topic[]): void {
  const led = topics.flatMap((topic) =>
    topic.partitions.flatMap((log, partition) => (log === undefined ? [] : [{ topic: topic.name, partition, log }])),
  );
  const manager = "kafka_server_replicamanager";
  exposition
    .single(`${manager}_leadercount`, "gauge", "Partitions led here.", led.length)
    .single(`${manager}_partitioncount`, "gauge", "Partitions open here: those that are led.", led.length)
    .single(`${manager}_underreplicatedpartitions`, "gauge", "Always 0: the volume keeps the copies.", 0)
    .single(`${manager}_underminisrpartitioncount`, "gauge", "Always 0: the volume keeps the copies.", 0);
  exposition.family("kafka_log_log_size", "gauge", "Bytes of record data of a partition led here.");
  for (const { topic, partition, log } of led) exposition.sample(log.sizeBytes, { topic, partition });
  exposition.family("kafka_topic_partition_current_offset", "gauge", "High watermark of a partition led here.");
  for (const { topic, partition, log } of led) exposition.sample(log.highWatermark, { topic, partition });
  exposition.family("kafka_topic_partition_oldest_offset", "gauge", "Log start of a partition led here.");
  for (const { topic, partition, log } of led) exposition.sample(log.logStartOffset, { topic, partition });
  exposition.family("kafka_topic_partitions", "gauge", "Partitions of a topic.");
  for (const topic of topics) exposition.sample(topic.partitionCount, { topic: topic.name });
}

/** Groups that are coordinated here. How far they lag behind is known where the partition is led here as well. */
function writeGroups(exposition: Exposition, { groups, topics }: Broker): void {
  const committed = [...groups.committed()];
  exposition.family("kafka_consumergroup_current_offset", "gauge", "What a group coordinated here has committed.");
  for (const { group, topic, partition, offset } of committed) {
    exposition.sample(offset, { consumergroup: group, topic, partition });
  }
  exposition.family(
    "kafka_consumergroup_lag",
    "gauge",
    "Records behind the end, of a group coordinated here on a partition led here.",
  );
  for (const { group, topic, partition, offset } of committed) {
    const log = topics.log(topic, partition);
    if (log === undefined) continue;
    exposition.sample(Math.max(0, log.highWatermark - offset), { consumergroup: group, topic, partition });
  }
}
