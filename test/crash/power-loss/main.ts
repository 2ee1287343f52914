// main.ts RECORDER DIRECTORY CUTS SEED: records a broker under load, then takes its power away at CUTS moments and looks at
// what is left. RECORDER is what recorder.c was made into. Prints ok/FAIL lines, then 'done'.
import { rmSync } from "node:fs";
import { Prng } from "../../bad-input/prng.js";
import { Rows } from "../../lib/rows.js";
import { Answers } from "./answers.js";
import { checkCuts, type CutReport } from "./check-cuts.js";
import { Journal } from "./journal.js";
import { record } from "./recording.js";
import { countSteps } from "./steps.js";

const [library = "", directory = "", cuts = "200", seed = "1"] = process.argv.slice(2);
const LIVES = 5;
/** Cuts after which a disk that lies must have been found out. */
const LIE_CUTS_MAX = 60;
const rows = new Rows();

async function loseHonestly(prng: Prng): Promise<void> {
  const recording = await record({ library, directory: `${directory}/honest`, lives: LIVES, prng });
  for (const [index, end] of recording.lives.entries()) console.log(`# life ${index + 1}: ${end}`);
  const journal = Journal.read(recording.journal);
  const answers = new Answers(journal);
  console.log(`# ${journal.count} events, ${answers.sends.length} answers sent`);
  const steps = [...countSteps(journal)];
  const absent = steps.filter(([, count]) => count === 0).map(([step]) => step);
  const list = steps.map(([step, count]) => `${step} ${count}`).join(", ");
  rows.report(
    `every step is there: ${list}`,
    absent.map((step) => `no ${step}`),
  );
  const tell = ({ name, problems }: CutReport): boolean => {
    rows.report(name, problems);
    return false;
  };
  await checkCuts({ directory, recording, journal, answers, count: Number(cuts), prng, tell });
  if (rows.failed === 0) rmSync(`${directory}/honest`, { recursive: true });
}

/** Whose fsync is to do nothing: that a disk loses what was acknowledged then has to be found. */
const LIES: readonly (readonly [lie: string, of: string])[] = [
  [".log", "segments"],
  [".journal", "journals"],
  ["tmp-", "files that are linked or renamed into place"],
  ["/", "directories"],
];

async function loseByLie([lie, of]: readonly [string, string], prng: Prng): Promise<void> {
  const recording = await record({ library, directory: `${directory}/lie`, lives: 1, prng, lie });
  const journal = Journal.read(recording.journal);
  let found: string | undefined;
  const tell = ({ problems }: CutReport): boolean => {
    found = problems[0];
    return found !== undefined;
  };
  const answers = new Answers(journal);
  await checkCuts({ directory, recording, journal, answers, count: LIE_CUTS_MAX, prng, tell });
  rows.report(
    `a disk whose fsync of ${of} does nothing is found out${found === undefined ? "" : `: ${found.slice(0, 150)}`}`,
    found === undefined ? ["nothing was missed"] : [],
  );
  rmSync(`${directory}/lie`, { recursive: true });
}

const prng = new Prng(Number(seed));
await loseHonestly(prng);
for (const lie of LIES) await loseByLie(lie, prng);
rows.end();
