/** The shapes of the volume's JSON files. Loaded when the first one is read: zod costs a start some 60 ms. */
import * as z from "zod/mini";
import type { DocumentKind, DocumentTypes } from "./document-types.js";

const count = z.int().check(z.nonnegative());
/** −1 stands for "none". */
const offset = z.int().check(z.gte(-1));
const epoch = z.int().check(z.gte(-1), z.lte(0x7fff_ffff));
/** Becomes part of a path. */
const nameOfFile = z.string().check(z.regex(/^(?!\.)[A-Za-z0-9._-]{1,63}$/));
const uuid = z.string().check(z.regex(/^[A-Za-z0-9_-]{22}$/));

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

export const documentSchemas: { readonly [Kind in DocumentKind]: z.ZodMiniType<DocumentTypes[Kind]> } = {
  cluster: z.object({ clusterId: uuid, slotCount: z.int().check(z.positive()) }),
  "cluster-document": z.object({ content: z.json() }),
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
  claim: z.object({ epoch, broker: nameOfFile, incarnation: nameOfFile }),
  seal: z.object({ epoch, ...logState }),
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
    placement: z.optional(z.record(z.string().check(z.regex(/^(0|[1-9]\d{0,8})$/)), z.string().check(z.minLength(1)))),
  }),
  "slot-released": z.object({ epoch }),
  "slot-snapshot": z.object({
    epoch,
    number: count,
    hasState: z.boolean(),
    state: z.json(),
    entries: z.array(z.json()),
  }),
};
