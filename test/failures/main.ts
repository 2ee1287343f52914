// main.ts LIBRARY DIRECTORY [STAGE…]: brokers whose disks fail and hang, one way after the other. LIBRARY is what faults.c
// was made into. Prints ok/FAIL lines, then 'done'.
import { mkdirSync } from "node:fs";
import { endureHungDisk, endureHungPartition, endureHungWrites } from "./hang-rows.js";
import { endure, PARTITION_ROWS } from "./partition-rows.js";
import { endureReads } from "./read-rows.js";
import { Stage } from "./stage.js";
import { endureNoDescriptors, endureNoSpace, endureReadOnly } from "./volume-rows.js";

const [library = "", directory = "", ...only] = process.argv.slice(2);
let failed = 0;

/** Runs a row, and tells what came of it. */
async function row(name: string, run: () => Promise<string>): Promise<void> {
  try {
    console.log(`ok    ${name}: ${await run()}`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}: ${(error as Error).message}`);
  }
}

async function staged(name: string, run: (stage: Stage) => Promise<void>): Promise<void> {
  if (only.length > 0 && !only.includes(name)) return;
  const home = `${directory}/${name.replaceAll(" ", "-")}`;
  mkdirSync(home);
  const stage = await Stage.start(library, home);
  try {
    await run(stage);
    await row(`${name}: after a kill all that was acknowledged is there, once, in order`, async () => {
      const problems = await stage.problemsAfterKill();
      if (problems.length > 0) throw new Error(problems.slice(0, 3).join("; "));
      return "and it ends as it is asked to";
    });
  } finally {
    stage.end();
  }
}

const partitions = staged("partitions", async (stage) => {
  await Promise.all(PARTITION_ROWS.map((one) => row(one.name, () => endure(stage, one))));
  await stage.restart();
  await row("EIO at reads", () => endureReads(stage, PARTITION_ROWS[0]?.topic ?? ""));
});
const volume = staged("volume", async (stage) => {
  await row("EROFS at every change of the volume", () => endureReadOnly(stage));
  await row("no space left", () => endureNoSpace(stage));
  await row("no descriptor left in the process", () => endureNoDescriptors(stage));
  await row("writes hang with no sign before", () => endureHungWrites(stage));
});
// Those that wait for thirty seconds and more do so while the others run.
const hungPartition = staged("hung partition", (stage) =>
  row("fsyncs of one partition hang", () => endureHungPartition(stage)),
);
const hungDisk = staged("hung disk", (stage) => row("a disk hangs", () => endureHungDisk(stage)));
await Promise.all([partitions, volume, hungPartition, hungDisk]);
console.log("done");
process.exit(failed === 0 ? 0 : 1);
