// Where kaas differs from Apache Kafka and means to. What is listed and no longer differs fails the suite.
import { unservedApis } from "../../packages/kaas-core/src/api/unserved.js";
import type { KnownDifference } from "./known-difference.js";
import { knownConfigDifferences } from "./known-config-differences.js";

/** Keys that Apache Kafka's brokers do not offer to clients either. */
const NOT_OFFERED = [4, 5, 6, 7, 52, 53, 54, 56, 58, 59, 62, 63, 67, 70, 71, 72, 73, 82];

const unserved: readonly KnownDifference[] = unservedApis
  .filter(({ key }) => !NOT_OFFERED.includes(key))
  .map(({ key, reason }) => ({ where: "api versions: *", path: `.apiKeys[${key}]`, kaas: "(absent)", reason }));

const FEATURES = "no features are finalized: there is no KRaft metadata version to show";
const SAYS_MORE = "kaas says why where Kafka says nothing";
const ANSWERED = "what can be answered is answered, so that the client hears why; Kafka closes the connection";
const NOT_DECODED = "records are not decoded on the way in: what their producer says in the header holds";
const STRICT = "refused rather than stored in part, or as something that no producer writes";
const ACCIDENT = "Kafka's answer comes of an exception that nothing expected; kaas says what is wrong";
const TWICE = "Kafka's map forgets one of them; kaas answers as often as it was asked";
const ONE_COPY =
  "there is one copy on the volume: a factor above 1 is accepted, since tools ask for 3, and reported as 1";
const AT_ONCE = "what a request creates is there with its answer; in Kafka the metadata log brings it later";

const messages: readonly KnownDifference[] = [
  { where: "*", path: "*errorMessage", kafka: "null", kaas: '"(said)"', reason: SAYS_MORE },
  { where: "*", path: "*errorMessage", kafka: '""', kaas: '"(said)"', reason: SAYS_MORE },
  { where: "*", path: "*errorMessage", kafka: '""', kaas: "null", reason: "no message is null, Kafka has both" },
  {
    where: "cluster: coordinator of type 0*",
    path: ".errorMessage",
    kafka: '"(said)"',
    kaas: "null",
    reason: "Kafka's message of a success is NONE",
  },
];

const protocol: readonly KnownDifference[] = [
  { where: "api versions: *", path: ".supportedFeatures[*]", kaas: "(absent)", reason: FEATURES },
  { where: "api versions: *", path: ".finalizedFeatures[*]", kaas: "(absent)", reason: FEATURES },
  { where: "api versions: *", path: ".finalizedFeaturesEpoch", kaas: "0", reason: FEATURES },
  { where: "frames: * too old", path: ".frames[0]", kafka: '"closed"', kaas: '"answered 7"', reason: ANSWERED },
  { where: "frames: * cut off", path: ".frames[0]", kafka: '"closed"', kaas: '"answered 7"', reason: ANSWERED },
];

const users: readonly KnownDifference[] = [
  {
    where: "scram credentials: no salt",
    path: ".results[scram-credentials-no-salt].errorCode",
    kafka: '"NONE"',
    kaas: '"UNACCEPTABLE_CREDENTIAL"',
    reason: "a password without a salt is as good as none to whoever gets hold of the file",
  },
  {
    where: "scram credentials: no salted password",
    path: ".results[scram-credentials-no-password].errorCode",
    kafka: '"UNKNOWN_SERVER_ERROR"',
    kaas: '"UNACCEPTABLE_CREDENTIAL"',
    reason: ACCIDENT,
  },
];

const log: readonly KnownDifference[] = [
  {
    where: "compaction: *",
    path: "*.records[*].baseTimestamp",
    reason: "a batch keeps the time that its records count from; Kafka counts anew from the first that is left",
  },
];

const topics: readonly KnownDifference[] = [
  { where: "metadata: by no id", path: "*", reason: ACCIDENT },
  { where: "describe topic partitions: name ''", path: "*", reason: ACCIDENT },
  { where: "auto creation: first answer", path: ".topics[*", reason: AT_ONCE },
  {
    where: "auto creation: a name that collides",
    path: ".topics[auto-creation-a_b].errorCode",
    kafka: '"UNKNOWN_TOPIC_OR_PARTITION"',
    kaas: '"INVALID_TOPIC_EXCEPTION"',
    reason: "Kafka lets the client ask for ever for a topic that cannot be created",
  },
  { where: "create topics: replication factor 3*", path: ".topics[*", reason: ONE_COPY },
  {
    where: "create topics: *",
    path: ".topics[*].topicId",
    kafka: '"(a topic id)"',
    kaas: '"(no id)"',
    reason: "a topic that is only checked has no id; Kafka makes one up",
  },
  {
    where: "create topics: name '__cluster' of 18",
    path: ".topics[__cluster_metadata].errorCode",
    kafka: '"INVALID_REQUEST"',
    kaas: '"INVALID_TOPIC_EXCEPTION"',
    reason: "names that begin with __cluster are kept for the volume itself",
  },
  {
    where: "create topics: timeout 0",
    path: ".topics[create-topics-timeout]*",
    reason: "nothing to wait for when a topic is only checked",
  },
];

const produced: readonly KnownDifference[] = [
  {
    where: "*produce*",
    path: "*.partitionResponses[0].logStartOffset",
    kafka: "-1",
    kaas: "0",
    reason: "where the log starts is told with errors, too",
  },
  { where: "produce: a partition twice", path: "*", kafka: "(absent)", reason: TWICE },
  { where: "produce batches: null records", path: "*", reason: "Kafka never answers" },
  { where: "produce batches: bytes behind the batch*", path: "*", reason: STRICT },
  { where: "produce batches: a cut batch behind the batch*", path: "*", reason: STRICT },
  { where: "produce batches: LogAppendTime set by the client*", path: "*", reason: STRICT },
  { where: "produce batches: delete horizon set*", path: "*", reason: STRICT },
  {
    where: "produce batches: codec *",
    path: "*.errorCode",
    kafka: '"UNKNOWN_SERVER_ERROR"',
    kaas: '"UNSUPPORTED_COMPRESSION_TYPE"',
    reason: ACCIDENT,
  },
  { where: "produce batches: count 2 and delta of 3*", path: "*", reason: NOT_DECODED },
  { where: "produce batches: count 4 and delta of 3*", path: "*", reason: NOT_DECODED },
  { where: "produce batches: max timestamp too small: the log", path: "*.maxTimestamp", reason: NOT_DECODED },
  { where: "produce batches: max timestamp -1: the log", path: "*.maxTimestamp", reason: NOT_DECODED },
  { where: "produce batches: negative times: the log", path: "*.maxTimestamp", reason: NOT_DECODED },
  {
    where: "idempotence: *",
    path: "*.logAppendTimeMs",
    kaas: "-1",
    reason: "a duplicate is answered as it was the first time; Kafka says the producer's own time is the broker's",
  },
];

const fetched: readonly KnownDifference[] = [
  {
    where: "produce configs: zstd in the log, old client",
    path: "*",
    reason: "a client that is too old for zstd hears of it; Kafka sends it bytes that it cannot read",
  },
  { where: "fetch: partition of -1 bytes", path: "*", reason: ACCIDENT },
  { where: "fetch: -1 bytes", path: "*", reason: ACCIDENT },
  { where: "fetch: isolation 2", path: "*", reason: ACCIDENT },
  { where: "fetch: isolation -1", path: "*", reason: ACCIDENT },
  { where: "list offsets: a partition twice", path: "*[0#1]", kafka: "(absent)", reason: TWICE },
  { where: "delete records: a partition twice", path: "*[0#1]", kafka: "(absent)", reason: TWICE },
  {
    where: "delete records: the latest time then",
    path: "*",
    kaas: "-1",
    reason: "Kafka names a record that was deleted",
  },
  {
    where: "offset for leader epoch: epoch -5",
    path: "*",
    kaas: "-1",
    reason: "there is no negative epoch; Kafka says where the first one begins",
  },
];

const administration: readonly KnownDifference[] = [
  {
    where: "cluster: coordinator of type 1*",
    path: "*",
    reason: "transactions are not served yet",
  },
  {
    where: "produce: transactional, as nobody was given the id",
    path: "*.errorCode",
    kaas: '"INVALID_TXN_STATE"',
    reason: "transactions are not served yet; what Kafka says depends on whether its coordinator is up",
  },
  {
    where: "offset delete: no partitions",
    path: ".topics[offset-delete-t]",
    kafka: "(absent)",
    reason: "a topic is answered when none of its partitions was named, too",
  },
];

const security: readonly KnownDifference[] = [
  {
    where: "authorization: *",
    path: "*errorMessage",
    kafka: '"(said)"',
    kaas: "null",
    reason: "the code says it all; Kafka adds which request on which of its connections it was",
  },
  { where: "authorization: owner auto creation", path: ".topics[*", reason: AT_ONCE },
  { where: "authorization: * check creation", path: "*.topicId", reason: "a topic that is only checked has no id" },
  {
    where: "authorization: replica fetch as replica",
    path: "*.errorCode",
    kafka: '"NOT_LEADER_OR_FOLLOWER"',
    reason: "there are no replicas that could be known or not",
  },
  { where: "authorization: * describe scram", path: ".results[0]", kaas: "(absent)", reason: ACCIDENT },
  { where: "quotas: alter, a type twice", path: ".entries[0]*", reason: "Kafka's map forgets one of them" },
  { where: "acls: create, *", path: "*.errorCode", kafka: '"UNKNOWN_SERVER_ERROR"', reason: ACCIDENT },
];

export const knownDifferences: readonly KnownDifference[] = [
  ...unserved,
  ...messages,
  ...protocol,
  ...users,
  ...log,
  ...topics,
  ...produced,
  ...fetched,
  ...administration,
  ...security,
  ...knownConfigDifferences,
];
