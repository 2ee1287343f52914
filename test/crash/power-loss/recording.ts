// Records a broker under load: several lives, most of which end by force at some step, the last one as it is asked to.
import { existsSync, mkdirSync, statSync } from "node:fs";
import type { Prng } from "../../bad-input/prng.js";
import { BrokerProcess } from "../../lib/broker-process.js";
import { freePort } from "../../lib/free-port.js";
import { pause } from "../actor.js";
import { KillPlan, type RecordedBy } from "../kill-plan.js";
import { BROKER_PROPERTIES, Load } from "../load.js";
import { withClient } from "./checker.js";

/** Between two steps of each client: what is recorded has to be read many times over. */
const PAUSE_MS = 25;
const RECORD_BYTES_MAX = 1200;
const LAST_LIFE_MS = 2500;
/** Of each group: a journal of a mebibyte and some. */
const COMMITS_MIN = 130;
const TOPICS_MIN = 10;
const AWAITED_MS = 120_000;

export type RecordingOptions = {
  readonly library: string;
  /** Made; the broker's data is in `data` below it. */
  readonly directory: string;
  readonly lives: number;
  readonly prng: Prng;
  readonly lie?: string;
};

export type Recording = {
  readonly directory: string;
  readonly journal: string;
  readonly load: Load;
  /** How long the journal was when the load's topics had been made. */
  readonly preparedAt: number;
  /** How each life ended. */
  readonly lives: readonly string[];
};

export async function record({ library, directory, lives, prng, lie }: RecordingOptions): Promise<Recording> {
  mkdirSync(directory, { recursive: true });
  const journal = `${directory}/recorded`;
  const recorder: RecordedBy = { library, directory, journal, ...(lie === undefined ? {} : { lie }) };
  const broker = new BrokerProcess("kaas", await freePort(), directory);
  const plan = new KillPlan(broker, prng, recorder);
  const mark = () => (existsSync(journal) ? statSync(journal).size : 0);
  const load = new Load({ prng, mark, pauseMs: PAUSE_MS, recordBytesMax: RECORD_BYTES_MAX });
  const ends: string[] = [];
  let preparedAt = 0;
  try {
    for (let life = 1; life <= lives; life++) {
      if (life === 1 || life === lives) await plan.startSafely(life === 1 ? BROKER_PROPERTIES : []);
      else await plan.start();
      if (life === 1) {
        await withClient(broker.port, (client) => load.prepare(client));
        preparedAt = mark();
      }
      const ended = load.run(broker.port);
      if (life === 1 || life === lives) {
        await pause(LAST_LIFE_MS);
        if (life === 1) await awaitWork(load);
        load.stop();
        await ended;
        ends.push(await plan.stop());
      } else {
        ends.push(await plan.kill());
        load.stop();
        await ended;
      }
    }
  } finally {
    if (broker.isAlive()) broker.kill();
  }
  return { directory, journal, load, preparedAt, lives: ends };
}

/** Until the journals of commits have been rewritten, and topics have come and gone, however slow the machine is. */
async function awaitWork({ committers, churn }: Load): Promise<void> {
  const end = performance.now() + AWAITED_MS;
  const isDone = (): boolean =>
    churn.count >= TOPICS_MIN && committers.every(({ acknowledged }) => acknowledged >= COMMITS_MIN);
  while (performance.now() < end && !isDone()) await pause(50);
}
