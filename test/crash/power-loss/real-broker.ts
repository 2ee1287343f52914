// The broker as it is, on a real disk, started from what a power loss has left.
import { rmSync } from "node:fs";
import { BrokerProcess } from "../../lib/broker-process.js";
import { freePort } from "../../lib/free-port.js";
import { diagnosis, scatteredTail } from "../doctor.js";
import { BROKER_PROPERTIES } from "../load.js";
import { type Known, problemsSeen, withClient } from "./checker.js";
import { contentOf, difference } from "./content.js";
import { inDirectory } from "./materialise.js";
import type { Tree } from "./survivor.js";

/** Retention and compaction would go on with their work between two looks. */
const PROPERTIES = [
  ...BROKER_PROPERTIES,
  "log.retention.check.interval.ms=86400000",
  "log.cleaner.backoff.ms=86400000",
];

/**
 * Starts it, looks, stops it, starts it again: what is wrong with what it has. Before and after, kaasctl is asked what it
 * thinks of the volume: a power loss is no fault of it, but for sectors of a write that are missing before a whole batch.
 */
export async function startedFrom(tree: Tree, directory: string, known: Known): Promise<string[]> {
  rmSync(directory, { recursive: true, force: true });
  inDirectory(directory, tree);
  const broker = new BrokerProcess("kaas", await freePort(), directory);
  try {
    const found = known.isPrepared ? await diagnosis(`${directory}/data`) : [];
    const faults = found.filter((fault) => !scatteredTail.test(fault));
    if (faults.length > 0) return faults.map((fault) => `before the first opening: ${fault}`);
    await broker.start(...PROPERTIES);
    const problems = await withClient(broker.port, (client) => problemsSeen(client, known));
    const before = await withClient(broker.port, (client) => contentOf(client, known.load.groups));
    await broker.stop();
    await broker.start();
    const after = await withClient(broker.port, (client) => contentOf(client, known.load.groups));
    const changed = difference(before, after);
    await broker.stop();
    problems.push(...(await diagnosis(`${directory}/data`)));
    return changed === undefined ? problems : [...problems, `after a clean end it is another: ${changed}`];
  } catch (error) {
    return [(error as Error).message];
  } finally {
    if (broker.isAlive()) broker.kill();
    rmSync(directory, { recursive: true, force: true });
  }
}
