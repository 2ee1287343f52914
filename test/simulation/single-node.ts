import { Disk } from "../../packages/kaas-storage/src/testing/simulated/disk.js";
import { LocalFileSystem } from "../../packages/kaas-storage/src/testing/simulated/local-file-system.js";
import { Machine } from "../../packages/kaas-storage/src/testing/simulated/machine.js";
import { Broker } from "./broker.js";
import { examine } from "./examine.js";
import { Violation } from "./history.js";
import { Storm } from "./storm.js";
import type { World } from "./world.js";

/** So long may a hand-over take, or a partition be away once nothing fails any more. */
const PATIENCE_MS = 600_000;

/** One machine with a disk, and one broker after the other on it. */
export async function runSingleNode(world: World): Promise<void> {
  const { scheduler, scenario, chance, history } = world;
  const machine = new Machine("machine", scheduler);
  const disk = new Disk(chance.fork(), { namesAreDurable: false, garbles: scenario.garbles });
  // A mount point: its name is nobody's to make durable.
  disk.createDirectory(disk.root, "data");
  disk.syncDirectory(disk.root);
  const writtenMayBeGone = () => {
    for (const { model } of world.partitions) model.writtenMayBeGone();
  };
  let broker: Broker | undefined;
  const storm = new Storm(
    scenario,
    chance.fork(),
    () => {
      history.note("storm", "the process is killed in the middle of a call");
      broker?.process.kill();
    },
    (what) => {
      history.note("storm", what);
      writtenMayBeGone();
    },
  );
  const local = { disk, weather: storm, locks: new Set<string>(), preallocationHelps: scenario.preallocationHelps };

  const start = (name: string): Broker => {
    const process = machine.start(name);
    const started = new Broker(world, process, new LocalFileSystem(local, process));
    world.spawn(() => started.serve());
    return started;
  };
  const losePower = (): void => {
    history.note("storm", "power is lost");
    writtenMayBeGone();
    machine.crash();
    disk.crash();
  };

  for (let life = 1; life <= scenario.lives; life++) {
    broker = start(`broker-${life}`);
    const { process } = broker;
    // Some die while they open, most when there is something to lose.
    const opensFirst = chance.happens(0.7);
    for (let left = 1_000; opensFirst && left > 0 && process.isAlive && !broker.isOpen; left--)
      await scheduler.sleep(5);
    storm.operationsLeft = chance.happens(scenario.killsAtOperation) ? chance.below(400) : Number.POSITIVE_INFINITY;
    for (let left = chance.below(5); process.isAlive && left > 0; left--) {
      await scheduler.sleep(chance.between(0, scenario.lifeMs / 2));
      // What happens once a minute is to happen while a write hangs, and the end to come before it arrives.
      const isHung = storm.hasHungWrite;
      storm.hasHungWrite = false;
      if (isHung ? !chance.happens(0.7) : !scenario.quietMinutes || !chance.happens(0.2)) continue;
      const silenceMs = isHung ? 62_000 : 90_000;
      world.quietUntilMs = scheduler.now + silenceMs;
      await scheduler.sleep(silenceMs);
      if (isHung && chance.happens(0.5)) break;
    }
    storm.operationsLeft = Number.POSITIVE_INFINITY;
    if (process.isAlive && chance.happens(scenario.cleanEnds)) {
      await within(
        world,
        "the volume closes",
        broker.close().catch((error: unknown) => history.note("storm", String(error))),
      );
    }
    process.kill();
    if (chance.happens(scenario.powerLoss)) losePower();
  }
  await settle(world, machine, storm, start, losePower);
}

/** Nothing fails any more: everything must be there and take records, for this process and for the next. */
async function settle(
  world: World,
  machine: Machine,
  storm: Storm,
  start: (name: string) => Broker,
  losePower: () => void,
): Promise<void> {
  const { chance, history } = world;
  let last = start("last");
  if (chance.happens(0.5)) await world.scheduler.sleep(chance.between(0, 300));
  history.note("storm", "is over");
  storm.isCalm = true;
  // A broker that could not read its fuse has ended itself; whoever runs it starts it again.
  if (!last.process.isAlive) last = start("last-again");
  await within(world, "all partitions take records", takesRecords(last));
  if (chance.happens(0.5)) {
    await within(world, "the volume closes", last.close());
    last.process.kill();
  } else {
    losePower();
  }
  const reader = start("reader");
  await within(world, "all partitions open", takesRecords(reader));
  machine.crash();
}

async function takesRecords(broker: Broker): Promise<void> {
  const { world, process } = broker;
  for (const clients of world.partitions) {
    for (let isTaken = false; !isTaken; ) {
      const log = broker.logs.get(clients.number);
      isTaken = log !== undefined && (await clients.plain.send(log, process, -1));
      for (const one of clients.idempotent) isTaken &&= log !== undefined && (await one.retry(log, process));
      if (!isTaken) await process.sleep(20);
      else if (log !== undefined) await examine(clients.model, log, process, false);
    }
  }
}

async function within(world: World, what: string, work: Promise<void>): Promise<void> {
  let isDone = false;
  const late = world.scheduler.sleep(PATIENCE_MS).then(() => {
    if (!isDone) throw new Violation(`${what}: not within ${PATIENCE_MS / 60_000} minutes`);
  });
  await Promise.race([work, late]);
  isDone = true;
}
