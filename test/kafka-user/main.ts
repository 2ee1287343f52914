// main.ts FOLDER CERTIFICATES [ROW…]: KafkaUsers from end to end, with brokers, operator and a real API server, which keeps its
// data in FOLDER. Prints ok/FAIL lines, then 'done'.
import { ControlPlane } from "../kubernetes/control-plane.js";
import { prepare } from "../kubernetes/suite/stage.js";
import { administered, restartedAlone, topicIsChanged } from "./cluster-rows.js";
import { Stage } from "./stage.js";
import { deleted, loggedIn, refusedTheRest, rotated, throttled, topicIsServed } from "./user-rows.js";

const [folder = "", certificates = "", ...only] = process.argv.slice(2);
let failed = 0;

async function row(name: string, run: () => Promise<string>): Promise<void> {
  if (only.length > 0 && !only.includes(name)) return;
  const began = performance.now();
  try {
    console.log(`ok    ${name}: ${await run()} (${((performance.now() - began) / 1_000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}: ${(error as Error).message}`);
  }
}

const plane = await ControlPlane.start({
  folder,
  components: ["kube-controller-manager"],
  users: ["broker", "operator"],
});
try {
  await prepare(plane);
  await plane.restartControllers();
  const stage = await Stage.open(plane, certificates);
  try {
    await row("a KafkaTopic is served", () => topicIsServed(stage));
    await row("a KafkaUser logs in with its Secret", () => loggedIn(stage));
    await row("it is allowed nothing else", () => refusedTheRest(stage));
    await row("it is throttled at its quota", () => throttled(stage));
    await row("its password is rotated", () => rotated(stage));
    await row("a broker restarted without API server and operator", () => restartedAlone(stage));
    await row("a KafkaTopic is changed", () => topicIsChanged(stage));
    await row("topics of admin clients are KafkaTopics", () => administered(stage));
    await row("a KafkaUser that is deleted", () => deleted(stage));
  } finally {
    await stage.end();
  }
} finally {
  await plane.stop();
}
console.log("done");
process.exit(failed === 0 ? 0 : 1);
