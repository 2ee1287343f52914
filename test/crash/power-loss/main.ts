// main.ts RECORDER DIRECTORY CUTS SEED: records a broker under load, then takes its power away at CUTS moments and looks at
// what is left. RECORDER is what recorder.c was made into. Prints ok/FAIL lines, then 'done'.
import { rmSync } from "node:fs";
import { Prng } from "../../bad-input/prng.js";
import { Answers } from "./answers.js";
import { checkCuts, type CutReport } from "./check-cuts.js";
import { Journal } from "./journal.js";
import { record } from "./recording.js";
import { countSteps } from "./steps.js";

const [library = "", directory = "", cuts = "200", seed = "1"] = process.argv.slice(2);
const LIVES = 5;
/** Cuts after which a disk that lies must have been found out. */
const LIE_CUTS_MAX = 60;
let failed = 0;

function report(name: string, problem: string | undefined): void {
  if (problem !== undefined) failed++;
  console.log(problem === undefined ? `ok    ${name}` : `FAIL  ${name}: ${problem}`);
}

async function loseHonestly(prng: Prng): Promise<void> {
  const recording = await record({ library, directory: `${directory}/honest`, lives: LIVES, prng });
  for (const [index, end] of recording.lives.entries()) console.log(`# life ${index + 1}: ${end}`);
  const journal = Journal.read(recording.journal);
  const answers = new Answers(journal);
  console.log(`# ${journal.count} events, ${answers.sends.length} answers sent`);
  const steps = [...countSteps(journal)];
  const absent = steps.filter(([, count]) => count === 0).map(([step]) => step);
  const list = steps.map(([step, count]) => `${step} ${count}`).join(", ");
  report(`every step is there: ${list}`, absent.length === 0 ? undefined : `no ${absent.join(", no ")}`);
  const tell = ({ name, problems }: CutReport): boolean => {
    report(name, problems.length === 0 ? undefined : problems.slice(0, 3).join("; "));
    return false;
  };
  await checkCuts({ directory, recording, journal, answers, count: Number(cuts), prng, tell });
  if (failed === 0) rmSync(`${directory}/honest`, { recursive: true });
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
  report(
    `a disk whose fsync of ${of} does nothing is found out${found === undefined ? "" : `: ${found.slice(0, 150)}`}`,
    found === undefined ? "nothing was missed" : undefined,
  );
  rmSync(`${directory}/lie`, { recursive: true });
}

const prng = new Prng(Number(seed));
await loseHonestly(prng);
for (const lie of LIES) await loseByLie(lie, prng);
console.log("done");
process.exit(failed === 0 ? 0 : 1);
