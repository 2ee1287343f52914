/**
 * What deciding and publishing cost in a large cluster: 10 000 partitions, 50 brokers, 50 slots of each kind.
 *
 * ```
 * npx tsx packages/kaas-storage/bench/assignments.ts [--directory DIR] [--rounds N] [--json]
 * ```
 *
 * Goals: a plan within a second, an assignment written and read within two. That no more leaders move than must is
 * checked; it is the only thing that this fails for.
 */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Assignment, type ClusterBroker, silentLog } from "@kaas/core";
import { plan, type Placement, type Plan, type PlanBroker } from "@kaas/core/internal";
import { AssignmentFiles, posixFileSystem, systemClock, systemRandom } from "../src/index.js";

const TOPICS = 200;
const PARTITIONS = 50;
const BROKERS = 50;
const SLOTS = 50;

const { values } = parseArgs({
  options: {
    directory: { type: "string" },
    rounds: { type: "string", default: "20" },
    json: { type: "boolean", default: false },
  },
});
const topics = Array.from({ length: TOPICS }, (_, topic) => ({
  topicId: `${topic}`.padStart(22, "A"),
  name: `a-topic-of-the-usual-length-${topic}`,
  partitionCount: PARTITIONS,
}));
const brokers = Array.from(
  { length: BROKERS + 1 },
  (_, nodeId): PlanBroker => ({
    nodeId,
    rack: `zone-${nodeId % 3}`,
    role: "leads",
  }),
);
const before = brokers.slice(0, BROKERS);

const planned = (previous: Placement | undefined, some: readonly PlanBroker[]): Plan =>
  plan(previous, { brokers: some, topics, slotCount: SLOTS, movesMax: Number.MAX_SAFE_INTEGER, evensOut: true });

const placementOf = ({ topics: leaders, slots }: Plan): Placement => ({
  topics: topics.map(({ topicId }, index) => ({ topicId, leaders: leaders[index] ?? [] })),
  slots,
});

/** Medians of so many rounds, in milliseconds. */
async function median(work: () => unknown): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const startMs = performance.now();
    await work();
    took.push(performance.now() - startMs);
  }
  return took.sort((one, other) => one - other)[took.length >> 1] ?? 0;
}

const placement = placementOf(planned(undefined, before));
const joined = planned(placement, brokers);
// A new broker gets its share of each kind, and nobody else anything.
const fewest = Math.floor((TOPICS * PARTITIONS) / (BROKERS + 1)) + 2 * Math.floor(SLOTS / (BROKERS + 1));
const lost = planned(placement, before.slice(1));
const unchanged = planned(placement, before);

const assignment: Assignment = {
  controllerEpoch: 0,
  version: 0,
  controllerId: 0,
  createdMs: 0,
  brokers: before.map(
    ({ nodeId, rack }): ClusterBroker => ({
      nodeId,
      name: `kaas-${nodeId}`,
      incarnation: systemRandom.uuid(),
      rack,
      listeners: [{ listenerName: "PLAINTEXT", host: `kaas-${nodeId}.kaas-brokers.default.svc`, port: 9092 }],
      isFenced: false,
      isAlive: true,
    }),
  ),
  topics: topics.map(({ topicId, name }, index) => {
    const leaders = placement.topics[index]?.leaders ?? [];
    return { topicId, name, leaders, leaderEpochs: leaders.map((leader) => leader * 7) };
  }),
  slots: placement.slots,
};

const directory = fs.mkdtempSync(join(values.directory ?? tmpdir(), "kaas-assignments-"));
const files = new AssignmentFiles({
  fileSystem: posixFileSystem,
  random: systemRandom,
  clock: systemClock,
  log: silentLog,
  directory,
  broker: "kaas-0",
  incarnation: "bench",
});
try {
  const controllerEpoch = await files.claimEpoch(0);
  let version = 0;
  const figures = {
    "plan from nothing, ms": await median(() => planned(undefined, before)),
    "plan after a loss, ms": await median(() => planned(placement, before.slice(1))),
    "plan after a broker has come, ms": await median(() => planned(placement, brokers)),
    "plan that changes nothing, ms": await median(() => planned(placement, before)),
    "moves when a broker is lost": lost.moved,
    "moves when a broker comes": joined.moved,
    "the fewest that would do": fewest,
    "moves when nothing changes": unchanged.moved,
    "write, ms": await median(() => files.publish({ ...assignment, controllerEpoch, version: ++version })),
    "look without news, ms": await median(() => files.newer({ controllerEpoch, version })),
    "read, ms": await median(() => files.newest()),
  };
  await files.close();
  const sizeBytes = fs.statSync(join(directory, "assignment.json")).size;
  const shown = { ...figures, "size, KiB": sizeBytes / 1024 };
  if (values.json) console.log(JSON.stringify(shown, null, 2));
  else
    for (const [name, value] of Object.entries(shown))
      console.log(`${name.padEnd(34)} ${value.toFixed(1).padStart(10)}`);
  if (joined.moved !== fewest || lost.moved !== 0 || unchanged.moved !== 0) process.exitCode = 1;
} finally {
  fs.rmSync(directory, { recursive: true, force: true });
}
