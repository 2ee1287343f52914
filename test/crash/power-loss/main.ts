// main.ts RECORDER DIRECTORY CUTS SEED: records a broker under load, then takes its power away at CUTS moments and looks at
// what is left. RECORDER is what recorder.c was made into. Prints ok/FAIL lines, then 'done'.
import { rmSync } from "node:fs";
import { Prng } from "../../bad-input/prng.js";
import { Answers } from "./answers.js";
import { checkCuts, type CutReport } from "./check-cuts.js";
import { Journal } from "./journal.js";
import { record } from "./recording.js";

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
  const tell = ({ name, problems }: CutReport) =>
    report(name, problems.length === 0 ? undefined : problems.slice(0, 3).join("; "));
  await checkCuts({ directory, recording, journal, answers, count: Number(cuts), prng, tell });
  if (failed === 0) rmSync(`${directory}/honest`, { recursive: true });
}

/** A disk on which fsync does nothing: that it loses what was acknowledged has to be found. */
async function loseByLie(lie: "data" | "directory", prng: Prng): Promise<void> {
  const recording = await record({ library, directory: `${directory}/lie-${lie}`, lives: 1, prng, lie });
  const journal = Journal.read(recording.journal);
  let found: string | undefined;
  const tell = ({ problems }: CutReport): boolean => {
    found = problems[0];
    return found !== undefined;
  };
  const answers = new Answers(journal);
  await checkCuts({ directory, recording, journal, answers, count: LIE_CUTS_MAX, prng, tell });
  report(
    `a disk whose fsync of ${lie === "data" ? "files" : "directories"} does nothing is found out: ${found?.slice(0, 150)}`,
    found === undefined ? "nothing was missed" : undefined,
  );
  rmSync(`${directory}/lie-${lie}`, { recursive: true });
}

const prng = new Prng(Number(seed));
await loseHonestly(prng);
await loseByLie("data", prng);
await loseByLie("directory", prng);
console.log("done");
process.exit(failed === 0 ? 0 : 1);
