import type { Assignment } from "@kaas/core";
import { DrainWishes, posixFileSystem, type VolumeInspection } from "@kaas/storage";
import { counted } from "../output/shown.js";
import { type Action, EXIT, type ExitCode, type Session } from "../session.js";
import { UsageError } from "../usage-error.js";
import { noAssignment } from "./assignment-show.js";

/** How often it is looked whether anything is led yet. */
const LOOK_INTERVAL_MS = 500;

export interface DrainOptions {
  /** The wish is taken back. */
  readonly undo: boolean;
  /** Whether to wait until nothing is led. */
  readonly wait: boolean;
  readonly timeoutMs: number;
}

/** What a broker leads: what the controller wants it to, and what it has claimed and not handed over. */
interface Held {
  readonly partitions: number;
  readonly slots: number;
  readonly claims: number;
}

/** `drain <broker> [--undo] [--wait]` */
export function drain(broker: string, { undo, wait, timeoutMs }: DrainOptions): Action {
  return async (session) => {
    const inspection = await session.open();
    const wishes = new DrainWishes(
      { fileSystem: posixFileSystem, random: session.surroundings.random },
      inspection.clusterDirectory,
    );
    if (undo) return report(session, broker, { isWished: false, hasChanged: await wishes.withdraw(broker) });
    await refuseIfNobodyIsLeft(inspection, broker);
    const hasChanged = await wishes.wish(broker, session.surroundings.now());
    if (!wait) return report(session, broker, { isWished: true, hasChanged, ...(await heldBy(inspection, broker)) });
    return waitUntilDrained(session, inspection, broker, { hasChanged, timeoutMs });
  };
}

async function waitUntilDrained(
  session: Session,
  inspection: VolumeInspection,
  broker: string,
  { hasChanged, timeoutMs }: { readonly hasChanged: boolean; readonly timeoutMs: number },
): Promise<ExitCode> {
  const { surroundings } = session;
  const beganMs = surroundings.monotonic();
  let shown = "";
  for (;;) {
    const held = await heldBy(inspection, broker);
    const outcome = { isWished: true, hasChanged, ...held };
    if (isNothing(held)) return report(session, broker, outcome);
    const line = `${broker} leads ${describeHeld(held)}\n`;
    if (surroundings.monotonic() - beganMs > timeoutMs) {
      await surroundings.err.write(`kaasctl: it takes longer than ${timeoutMs / 1_000} s; the wish stays\n`);
      await report(session, broker, outcome);
      return EXIT.UNSOUND;
    }
    if (line !== shown) await surroundings.err.write(line);
    shown = line;
    await surroundings.pause(LOOK_INTERVAL_MS);
  }
}

async function heldBy(inspection: VolumeInspection, name: string): Promise<Held> {
  const assignment = await newestAssignment(inspection);
  const nodeId = assignment.brokers.find((broker) => broker.name === name)?.nodeId ?? -2;
  const count = (leaders: readonly number[]): number => leaders.filter((leader) => leader === nodeId).length;
  const partitions = count(assignment.topics.flatMap(({ leaders }) => leaders));
  const slots = count(assignment.slots.groups) + count(assignment.slots.transactions);
  if (partitions + slots > 0) return { partitions, slots, claims: 0 };
  // Only now: every claim of the volume is read. What a process has that ended is its successor's to take.
  const { processes } = await inspection.processes();
  const own = processes.filter(({ broker, fuse }) => broker === name && fuse === "live");
  return { partitions, slots, claims: own.reduce((sum, { claims }) => sum + claims, 0) };
}

async function newestAssignment(inspection: VolumeInspection): Promise<Assignment> {
  const newest = (await inspection.assignments()).assignments.at(-1)?.assignment;
  if (newest === undefined) throw new UsageError(noAssignment(inspection));
  return newest;
}

/** A broker that nobody can take over from would go on leading; the wish would take effect some day, unasked. */
async function refuseIfNobodyIsLeft(inspection: VolumeInspection, name: string): Promise<void> {
  const { brokers } = await newestAssignment(inspection);
  if (!brokers.some((broker) => broker.name === name)) {
    const known = brokers.map((broker) => broker.name).join(", ");
    throw new UsageError(`there is no broker ${name}; there are ${known}`);
  }
  const drained = new Set((await inspection.drains()).drains.map(({ broker }) => broker));
  const others = brokers.filter((one) => one.isAlive && !one.isFenced && one.name !== name && !drained.has(one.name));
  if (others.length === 0) throw new UsageError(`${name} cannot be drained: no other broker is there to lead`);
}

interface Outcome extends Partial<Held> {
  readonly isWished: boolean;
  readonly hasChanged: boolean;
}

async function report(session: Session, broker: string, outcome: Outcome): Promise<ExitCode> {
  const { isWished, hasChanged, partitions = 0, slots = 0, claims = 0 } = outcome;
  const held = { partitions, slots, claims };
  const value = isWished
    ? { broker, isWished, hasChanged, ...held, isDrained: isNothing(held) }
    : { broker, ...outcome };
  await session.output.print(value, () => {
    if (!isWished) return `${broker} ${hasChanged ? "may lead again" : "was not drained"}\n`;
    if (isNothing(held)) return `${broker} is drained: it leads nothing\n`;
    return `${broker} ${hasChanged ? "is to be drained" : "is being drained"}; it leads ${describeHeld(held)}\n`;
  });
  return EXIT.SOUND;
}

function isNothing({ partitions, slots, claims }: Held): boolean {
  return partitions + slots + claims === 0;
}

function describeHeld({ partitions, slots, claims }: Held): string {
  if (claims > 0) return `${counted(claims, "partition or slot", "partitions and slots")} that others take over now`;
  return `${counted(partitions, "partition")} and ${counted(slots, "slot")}`;
}
