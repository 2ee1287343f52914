// main.ts DIRECTORY [ROW…]: two brokers on a real NFS server, with real clients of NFS in kernels of their own, under load
// of Kafka clients. Prints ok/FAIL lines, then 'done'. Run by run.sh, in a network of its own.
import { Rows } from "../lib/rows.js";
import { leaderCutOff, leaderReplaced, nothingIsLost, serverLosesPower } from "./rows.js";
import { Stage } from "./stage.js";

const [home = "", ...only] = process.argv.slice(2);
const rows = new Rows(only);

const began = performance.now();
const stage = await Stage.open(home);
try {
  await stage.produce();
  console.log(`# both brokers lead and are sent records after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  await rows.run("a leader cut off from the NFS server for 35 s", () => leaderCutOff(stage));
  await rows.run("the NFS server loses its power", () => serverLosesPower(stage));
  await rows.run("a leader cut off from the NFS server alone, and replaced", () => leaderReplaced(stage));
  await rows.run("nothing that was acknowledged is lost", () => nothingIsLost(stage));
} finally {
  await stage.end();
}
rows.end();
