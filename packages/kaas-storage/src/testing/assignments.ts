import { type Assignment, silentLog } from "@kaas/core";
import { AssignmentFiles } from "../cluster/assignment-files.js";
import type { FileSystem } from "../file-system/file-system.js";
import { TestClock, TestRandom } from "./test-clock.js";

let seeds = 0;

/** An assignment of one topic and two brokers. */
export function testAssignment(changes: Partial<Assignment> = {}): Assignment {
  return {
    controllerEpoch: 0,
    version: 1,
    controllerId: 0,
    createdMs: 1_700_000_000_000,
    brokers: [testBroker(0), testBroker(1)],
    topics: [{ topicId: "AAAAAAAAAAAAAAAAAAAAAQ", name: "orders", leaders: [0, 1, -1], leaderEpochs: [3, 0, -1] }],
    slots: { groups: [0, 1], transactions: [1, 0] },
    ...changes,
  };
}

export function testBroker(nodeId: number): Assignment["brokers"][number] {
  return {
    nodeId,
    name: `kaas-${nodeId}`,
    incarnation: `incarnation-${nodeId}`,
    rack: nodeId === 0 ? null : "east",
    listeners: [{ listenerName: "PLAINTEXT", host: `kaas-${nodeId}.kaas`, port: 9092 }],
    isFenced: false,
    isAlive: true,
  };
}

/** The assignments of the cluster in `/data`, as a broker of this name sees them. */
export function testAssignmentFiles(fileSystem: FileSystem, broker = "kaas-0"): AssignmentFiles {
  return new AssignmentFiles({
    fileSystem,
    random: new TestRandom(++seeds * 1_000_000),
    clock: new TestClock(),
    log: silentLog,
    directory: "/data/__cluster",
    broker,
    incarnation: `${broker}-${seeds}`,
  });
}
