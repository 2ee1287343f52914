// main.ts LIBRARY DIRECTORY [STAGE…]: brokers whose disks fail and hang, one way after the other. LIBRARY is what faults.c
// was made into. Prints ok/FAIL lines, then 'done'.
import { mkdirSync } from "node:fs";
import { Rows } from "../lib/rows.js";
import { endureHungDisk, endureHungPartition, endureHungWrites } from "./hang-rows.js";
import { endure, PARTITION_ROWS } from "./partition-rows.js";
import { endureReads } from "./read-rows.js";
import { Stage } from "./stage.js";
import { endureNoDescriptors, endureNoSpace, endureReadOnly } from "./volume-rows.js";

const [library = "", directory = "", ...only] = process.argv.slice(2);
const rows = new Rows();

async function staged(name: string, run: (stage: Stage) => Promise<void>): Promise<void> {
  if (only.length > 0 && !only.includes(name)) return;
  const home = `${directory}/${name.replaceAll(" ", "-")}`;
  mkdirSync(home);
  const stage = await Stage.start(library, home);
  try {
    await run(stage);
    await rows.run(`${name}: after a kill all that was acknowledged is there, once, in order`, async () => {
      const problems = await stage.problemsAfterKill();
      if (problems.length > 0) throw new Error(problems.slice(0, 3).join("; "));
      return "and it ends as it is asked to";
    });
  } finally {
    stage.end();
  }
}

const partitions = staged("partitions", async (stage) => {
  await Promise.all(PARTITION_ROWS.map((one) => rows.run(one.name, () => endure(stage, one))));
  await stage.restart();
  await rows.run("EIO at reads", () => endureReads(stage, PARTITION_ROWS[0]?.topic ?? ""));
});
const volume = staged("volume", async (stage) => {
  await rows.run("EROFS at every change of the volume", () => endureReadOnly(stage));
  await rows.run("no space left", () => endureNoSpace(stage));
  await rows.run("no descriptor left in the process", () => endureNoDescriptors(stage));
  await rows.run("writes hang with no sign before", () => endureHungWrites(stage));
});
// Those that wait for thirty seconds and more do so while the others run.
const hungPartition = staged("hung partition", (stage) =>
  rows.run("fsyncs of one partition hang", () => endureHungPartition(stage)),
);
const hungDisk = staged("hung disk", (stage) => rows.run("a disk hangs", () => endureHungDisk(stage)));
await Promise.all([partitions, volume, hungPartition, hungDisk]);
rows.end();
