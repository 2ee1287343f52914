import { KaasError, type Random } from "@kaas/core";
import { blowFuse, brokersDirectory } from "../leadership/fuse-file.js";
import type { BrokerView } from "./broker-view.js";
import type { RepairStep } from "./repair-plan.js";
import type { VolumeInspection } from "./volume-inspection.js";

/**
 * What it takes until a volume that brokers share is nobody's: the fuses of processes that an operator says are gone.
 * Nothing on the volume tells one that crashed from one that runs.
 *
 * @param gone names of brokers
 * @throws KaasError `KAAS_CONFIG_INVALID` when the volume knows no broker of such a name
 */
export async function planGone(inspection: VolumeInspection, gone: readonly string[]): Promise<readonly RepairStep[]> {
  const { brokers } = await inspection.users();
  for (const name of gone) {
    if (brokers.some(({ broker }) => broker === name)) continue;
    const known = [...new Set(brokers.map(({ broker }) => broker))].join(", ");
    throw new KaasError(
      "KAAS_CONFIG_INVALID",
      `no broker ${name} has left a fuse on the volume${known === "" ? "" : `; there are ${known}`}`,
    );
  }
  return brokers.filter((one) => mayAcknowledge(one) && gone.includes(one.broker)).map(stepOf);
}

function stepOf(broker: BrokerView): RepairStep {
  const { description } = broker;
  const startMs = description?.startMs;
  const since = startMs === undefined ? "" : ` since ${new Date(startMs).toISOString()}`;
  const where =
    description === undefined || description.endpoints.length === 0 ? "" : ` at ${description.endpoints.join(", ")}`;
  const reason = `${broker.broker} has led${since}${where}. If it does run, it ends and starts anew; nothing is lost`;
  return { action: "blow", file: broker.file, reason };
}

/** Blows the fuse, as a broker does that takes over. */
export async function blowGone(inspection: VolumeInspection, random: Random, file: string): Promise<void> {
  const { view } = inspection;
  const owner = (await inspection.users()).brokers.find((one) => one.file === file);
  if (owner === undefined) return; // it has ended in order meanwhile
  const by = { broker: "kaasctl", incarnation: random.uuid() };
  await blowFuse(view.fileSystem, brokersDirectory(view.clusterDirectory), owner, by);
}

/** Brokers that share a volume hold no lock: their fuses are what says that they may be at work. */
export async function refuseWhileShared(inspection: VolumeInspection): Promise<void> {
  const live = (await inspection.users()).brokers.find(mayAcknowledge);
  if (live === undefined) return;
  throw new KaasError(
    "KAAS_VOLUME_LOCKED",
    `broker ${live.broker} shares the volume: ${live.file} says LIVE. Stop it; if its process is gone and will not be started again, say so: --broker-is-gone ${live.broker}`,
  );
}

function mayAcknowledge({ fuse, description }: BrokerView): boolean {
  return fuse === "live" && description?.isShared === true;
}
