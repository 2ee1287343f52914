/** The shapes of the volume's JSON files. Loaded when the first one is read: zod costs a start some 60 ms. */
import * as z from "zod/mini";
import type { DocumentKind, DocumentTypes, ScramRecord } from "./document-types.js";

const count = z.int().check(z.nonnegative());
/** −1 stands for "none". */
const offset = z.int().check(z.gte(-1));
const epoch = z.int().check(z.gte(-1), z.lte(0x7fff_ffff));
/** Becomes part of a path. */
const nameOfFile = z.string().check(z.regex(/^(?!\.)[A-Za-z0-9._-]{1,63}$/));
const uuid = z.string().check(z.regex(/^[A-Za-z0-9_-]{22}$/));

const partitionNumber = z.string().check(z.regex(/^(0|[1-9]\d{0,8})$/));
/** The name of a further one; null is the data directory. */
const logDirectory = z.nullable(z.string().check(z.minLength(1)));

const generation = z.optional(z.int().check(z.positive()));

const segment = z.object({
  epoch,
  baseOffset: count,
  nextOffset: count,
  sizeBytes: count,
  maxTimestamp: offset,
  maxTimestampOffset: offset,
  lastAppendMs: count,
  indexEntries: offset,
  timeIndexEntries: offset,
  // Volumes that were written before there were transactions have none.
  abortedEntries: z._default(offset, 0),
  generation,
});

const logState = {
  logStartOffset: count,
  endOffset: count,
  segments: z.array(segment),
  epochs: z.array(z.object({ epoch, startOffset: count })),
  producers: z.object({ offset: count, snapshot: z.nullable(z.string().check(z.regex(/^\d{8}-\d{20}\.snapshot$/))) }),
  cleanedOffset: z.optional(count),
};

const producer = z.object({
  producerId: count,
  producerEpoch: z.int().check(z.gte(-1), z.lte(0x7fff)),
  coordinatorEpoch: z.int(),
  lastTimestamp: z.int(),
  lastAppendMs: count,
  transactionStartOffset: z._default(offset, -1),
  batches: z.array(z.tuple([count, count, count, z.int()])).check(z.maxLength(5)),
});

const nodeId = z.int().check(z.nonnegative(), z.lte(0x7fff_ffff));
/** −1: nobody. */
const leaders = z.array(z.int().check(z.gte(-1), z.lte(0x7fff_ffff)));

const clusterBroker = z.object({
  nodeId,
  name: nameOfFile,
  incarnation: nameOfFile,
  rack: z.nullable(z.string()),
  listeners: z.array(
    z.object({ listenerName: z.string(), host: z.string(), port: z.int().check(z.gte(0), z.lte(65_535)) }),
  ),
  isFenced: z.boolean(),
  isAlive: z.boolean(),
});

const topicAssignment = z
  .object({
    topicId: uuid,
    name: z.string(),
    leaders,
    leaderEpochs: z.array(epoch),
    wishes: z.optional(z.array(z.object({ partition: count, brokers: z.array(nodeId) }))),
  })
  .check(
    z.refine((topic) => topic.leaders.length === topic.leaderEpochs.length, "it has not as many epochs as leaders"),
  );

/** Canonical, so that it reads back as it was written. */
const base64 = (bytesMin: number, bytesMax: number): z.ZodMiniString =>
  z.string().check(
    z.refine(
      (text) => {
        const bytes = Buffer.from(text, "base64");
        return bytes.toString("base64") === text && bytes.length >= bytesMin && bytes.length <= bytesMax;
      },
      `must be ${bytesMin === bytesMax ? bytesMin : `${bytesMin} to ${bytesMax}`} bytes of base64`,
    ),
  );

const scramRecord = (hashBytes: number): z.ZodMiniType<ScramRecord> =>
  z.object({
    salt: base64(1, 1_024),
    iterations: z.int().check(z.gte(4_096), z.lte(16_384)),
    storedKey: base64(hashBytes, hashBytes),
    serverKey: base64(hashBytes, hashBytes),
  });

const userRecord = z.object({
  name: z.string().check(z.minLength(1)),
  scram: z.object({
    "SCRAM-SHA-256": z.exactOptional(scramRecord(32)),
    "SCRAM-SHA-512": z.exactOptional(scramRecord(64)),
  }),
});

const rate = z.exactOptional(z.number().check(z.positive()));
const entityPart = z.exactOptional(z.nullable(z.string().check(z.minLength(1))));
const clientQuota = z.object({
  entity: z.object({ user: entityPart, clientId: entityPart, ip: entityPart }).check(
    z.refine(({ user, clientId, ip }) => {
      const namesClient = user !== undefined || clientId !== undefined;
      return (ip !== undefined) !== namesClient;
    }, "must name a user, a client id or both, or an ip alone"),
  ),
  limits: z.object({
    producer_byte_rate: rate,
    consumer_byte_rate: rate,
    request_percentage: rate,
    controller_mutation_rate: rate,
    connection_creation_rate: rate,
  }),
});

const credentials = z
  .object({
    generation: count,
    decoySecret: base64(16, 64),
    users: z.array(userRecord),
    quotas: z.array(clientQuota),
  })
  .check(
    z.refine(({ users }) => new Set(users.map(({ name }) => name)).size === users.length, {
      path: ["users"],
      message: "a user is there twice",
    }),
  );

/** As Kafka names and limits it: a name is never empty, and a principal has a type. */
const acl = z.object({
  resourceType: z.enum(["TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID", "DELEGATION_TOKEN", "USER"]),
  patternType: z.enum(["LITERAL", "PREFIXED"]),
  resourceName: z.string().check(z.minLength(1)),
  principal: z.string().check(z.regex(/^[^:]*:/)),
  host: z.string(),
  operation: z.enum([
    "ALL",
    "READ",
    "WRITE",
    "CREATE",
    "DELETE",
    "ALTER",
    "DESCRIBE",
    "CLUSTER_ACTION",
    "DESCRIBE_CONFIGS",
    "ALTER_CONFIGS",
    "IDEMPOTENT_WRITE",
    "CREATE_TOKENS",
    "DESCRIBE_TOKENS",
    "TWO_PHASE_COMMIT",
  ]),
  permission: z.enum(["ALLOW", "DENY"]),
});

export const documentSchemas: { readonly [Kind in DocumentKind]: z.ZodMiniType<DocumentTypes[Kind]> } = {
  cluster: z.object({ clusterId: uuid, slotCount: z.int().check(z.positive()) }),
  "cluster-document": z.object({ content: z.json() }),
  credentials,
  acls: z.object({ generation: count, acls: z.array(acl) }),
  "producer-id-block": z.object({
    first: count,
    count: z.int().check(z.positive()),
    incarnation: z.string(),
    nonce: z.optional(z.string()),
  }),
  incarnation: z.object({
    broker: nameOfFile,
    incarnation: nameOfFile,
    version: z.string(),
    endpoints: z.array(z.string()),
    startMs: count,
    isShared: z.optional(z.boolean()),
  }),
  lock: z.object({ pid: count, host: z.string(), socket: z.string() }),
  assignment: z.object({
    controllerEpoch: count,
    version: count,
    controllerId: nodeId,
    createdMs: z.int(),
    brokers: z.array(clusterBroker),
    topics: z.array(topicAssignment),
    slots: z.object({ groups: leaders, transactions: leaders }),
  }),
  "controller-claim": z.object({ epoch: count, broker: nameOfFile, incarnation: nameOfFile, claimedMs: z.int() }),
  "drain-wish": z.object({ broker: nameOfFile, askedMs: z.int() }),
  claim: z.object({ epoch, broker: nameOfFile, incarnation: nameOfFile }),
  seal: z.object({ epoch, movedTo: z.optional(z.object({ logDirectory, since: count })), ...logState }),
  moved: z.object({ epoch }),
  arriving: z.object({ epoch, broker: nameOfFile, incarnation: nameOfFile }),
  released: z.object({ epoch, ...logState }),
  manifest: z.object({
    epoch,
    number: count,
    obsolete: z.array(z.object({ epoch, baseOffset: count, generation })),
    ...logState,
  }),
  checkpoint: z.object({ epoch, baseOffset: count, sizeBytes: count }),
  "producer-snapshot": z.object({
    offset: count,
    producers: z.array(producer),
    aborted: z._default(z.array(z.tuple([count, count, count, count])), []),
  }),
  "topic-id": z.object({ name: z.string(), id: uuid }),
  "topic-config": z.object({
    partitionCount: z.int().check(z.nonnegative()),
    overrides: z.record(z.string(), z.string()),
    placement: z.optional(z.record(partitionNumber, z.string().check(z.minLength(1)))),
    moves: z.optional(z.record(partitionNumber, logDirectory)),
    keptFor: z.optional(z.string().check(z.minLength(1))),
  }),
  "external-addresses": z.object({
    generation: count,
    listeners: z.array(
      z.object({
        name: z.string(),
        brokers: z.array(
          z.object({ nodeId, host: z.nullable(z.string()), port: z.int().check(z.positive(), z.lte(65_535)) }),
        ),
      }),
    ),
  }),
  "slot-released": z.object({ epoch, journal: z.optional(z.object({ number: count, sizeBytes: count })) }),
  "slot-snapshot": z.object({
    epoch,
    number: count,
    hasState: z.boolean(),
    state: z.json(),
    entries: z.array(z.json()),
  }),
};
