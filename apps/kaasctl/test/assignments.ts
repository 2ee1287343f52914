import { type Assignment, type ClusterBroker, silentLog } from "@kaas/core";
import { AssignmentFiles, posixFileSystem, systemClock } from "@kaas/storage";

const TOPIC_ID = "AAAAAAAAAAAAAAAAAAAAAQ";
let uuids = 0;

function broker(nodeId: number, isAlive = true): ClusterBroker {
  return {
    nodeId,
    name: `kaas-${nodeId}`,
    incarnation: `process-${nodeId}`,
    rack: nodeId === 0 ? "east" : null,
    listeners: [{ listenerName: "PLAINTEXT", host: `kaas-${nodeId}.kaas`, port: 9092 }],
    isFenced: !isAlive,
    isAlive,
  };
}

const FIRST: Assignment = {
  controllerEpoch: 7,
  version: 1,
  controllerId: 0,
  createdMs: 1_700_000_000_000,
  brokers: [broker(0), broker(1)],
  topics: [
    {
      topicId: TOPIC_ID,
      name: "orders",
      leaders: [0, 1],
      leaderEpochs: [4, -1],
      wishes: [{ partition: 1, brokers: [1, 0] }],
    },
  ],
  slots: { groups: [0, 1], transactions: [1, 0] },
};

const SECOND: Assignment = {
  ...FIRST,
  version: 2,
  brokers: [broker(0), broker(1, false), broker(2)],
  topics: [{ topicId: TOPIC_ID, name: "orders", leaders: [0, 2, -1], leaderEpochs: [4, 6, -1] }],
  slots: { groups: [0, 2], transactions: [2, 0] },
};

/** Broker 2 has handed everything over to broker 0. */
const DRAINED: Assignment = {
  ...SECOND,
  version: 3,
  topics: [{ topicId: TOPIC_ID, name: "orders", leaders: [0, 0, 0], leaderEpochs: [4, 7, 1] }],
  slots: { groups: [0, 0], transactions: [0, 0] },
};

/** What two decisions of a controller leave on a volume: broker 1 is lost, broker 2 has come. */
export function publishAssignments(directory: string): Promise<void> {
  return publish(directory, [FIRST, SECOND]);
}

/** A third one, after which broker 2 leads nothing. */
export function publishDrained(directory: string): Promise<void> {
  return publish(directory, [DRAINED]);
}

async function publish(directory: string, assignments: readonly Assignment[]): Promise<void> {
  const files = new AssignmentFiles({
    fileSystem: posixFileSystem,
    random: { uuid: () => String(++uuids).padStart(22, "C"), integer: () => 0 },
    clock: systemClock,
    log: silentLog,
    directory: `${directory}/__cluster`,
    broker: "kaas-0",
    incarnation: "process-0",
  });
  if (assignments.includes(FIRST)) await files.claimEpoch(7);
  for (const assignment of assignments) await files.publish(assignment);
  await files.close();
}
