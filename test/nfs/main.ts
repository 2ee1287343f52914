// main.ts DIRECTORY: two brokers on a real NFS server, with real clients of NFS in kernels of their own, under load of Kafka
// clients. Prints ok/FAIL lines, then 'done'. Run by run.sh, in a network of its own.
import { leaderCutOff, leaderReplaced, nothingIsLost, serverLosesPower } from "./rows.js";
import { Stage } from "./stage.js";

const [home = ""] = process.argv.slice(2);
let failed = 0;

async function row(name: string, run: () => Promise<string>): Promise<void> {
  const began = performance.now();
  try {
    console.log(`ok    ${name}: ${await run()} (${((performance.now() - began) / 1_000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}: ${(error as Error).message}`);
  }
}

const began = performance.now();
const stage = await Stage.open(home);
try {
  await stage.produce();
  console.log(`# both brokers lead and are sent records after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  await row("a leader cut off from the NFS server for 35 s", () => leaderCutOff(stage));
  await row("the NFS server loses its power", () => serverLosesPower(stage));
  await row("a leader cut off from the NFS server alone, and replaced", () => leaderReplaced(stage));
  await row("nothing that was acknowledged is lost", () => nothingIsLost(stage));
} finally {
  await stage.end();
}
console.log("done");
process.exit(failed === 0 ? 0 : 1);
