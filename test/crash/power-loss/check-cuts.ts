// Replays a recording, and at each cut looks at one of the trees that a power loss may have left.
import type { Prng } from "../../bad-input/prng.js";
import type { Answers } from "./answers.js";
import { type Known, problemsOf } from "./checker.js";
import { chooseCuts } from "./cuts.js";
import { Disk } from "./disk.js";
import type { Journal } from "./journal.js";
import { differences, inMemory } from "./materialise.js";
import { startedFrom } from "./real-broker.js";
import type { Recording } from "./recording.js";
import { MANNERS, type Manner, survivor, type Tree } from "./survivor.js";

/** One of so many trees is given to a broker as it is, on a real disk. */
const REAL_ONE_IN = 20;

export type CutReport = { readonly name: string; readonly problems: readonly string[] };

export type CutOptions = {
  /** For brokers on a real disk. */
  readonly directory: string;
  readonly recording: Recording;
  readonly journal: Journal;
  readonly answers: Answers;
  readonly count: number;
  readonly prng: Prng;
  /** Told of every cut; ends it all by true. */
  readonly tell: (report: CutReport) => boolean;
};

export async function checkCuts(options: CutOptions): Promise<void> {
  const { journal, count, prng, tell, recording } = options;
  const disk = new Disk();
  const cuts = chooseCuts(journal, count, prng);
  let journalBytes = 0;
  for (const event of journal.events()) {
    while (cuts[0] === event.index) {
      cuts.shift();
      if (await checkCut(options, disk, event.index, journalBytes, tell)) return;
    }
    disk.follow(event);
    journalBytes = event.endByte;
  }
  for (const index of cuts) if (await checkCut(options, disk, index, journalBytes, tell)) return;
  // With all that happened in place, what was recorded is what is there: nothing has passed the recorder by.
  const whole = survivor(disk, "all", prng);
  const problems = differences(`${recording.directory}/data`, whole.get("data") as Tree);
  tell({ name: `what was recorded makes the files that are there`, problems });
}

async function checkCut(
  { answers, recording, prng, directory }: CutOptions,
  disk: Disk,
  index: number,
  journalBytes: number,
  tell: CutOptions["tell"],
): Promise<boolean> {
  const manner: Manner = prng.pick([...MANNERS, "by chance", "by chance", "in order"]);
  const tree = survivor(disk, manner, prng);
  const known: Known = {
    load: recording.load,
    moment: answers.momentBefore(index, journalBytes),
    isPrepared: journalBytes >= recording.preparedAt,
  };
  const isReal = prng.oneIn(REAL_ONE_IN);
  const problems = isReal
    ? await startedFrom(tree, `${directory}/real`, known)
    : await problemsOf(await inMemory(tree), known, prng);
  return tell({ name: `event ${index}, ${manner}${isReal ? ", a broker as it is" : ""}`, problems });
}
