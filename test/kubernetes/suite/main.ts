// main.ts FOLDER [ROW…]: what @kaas/k8s does with a real API server, which keeps its data in FOLDER. Prints ok/FAIL lines,
// then 'done'.
import { Rows } from "../../lib/rows.js";
import { ControlPlane } from "../control-plane.js";
import { endpoints } from "./endpoint-rows.js";
import { handedOver, holderCutOff, manyCandidates, serverAway } from "./lease-rows.js";
import { prepare, Stage } from "./stage.js";
import { cutAndDeleted, cutShort, resets, rightsLost, serverKilled, silence } from "./watch-rows.js";
import { appliedByOthers, mirror, topics, users, usersWithoutCreate } from "./writer-rows.js";

const [folder = "", ...only] = process.argv.slice(2);
const rows = new Rows(only);

const plane = await ControlPlane.start({
  folder,
  components: ["kube-controller-manager", "kubelets"],
  users: ["watcher", "patcher", "broker"],
});

async function staged(name: string, run: (stage: Stage) => Promise<string>): Promise<void> {
  await rows.run(name, async () => {
    const stage = new Stage(plane);
    try {
      return await run(stage);
    } finally {
      await stage.end();
    }
  });
}

try {
  await prepare(plane);
  console.log("ok    the definitions of deploy/crds are accepted");
  await staged("topics by admin changes", topics);
  await staged("topics that others have applied", appliedByOthers);
  await staged("users by admin changes", users);
  await staged("users without the right to create them", usersWithoutCreate);
  await staged("mirror of a large assignment", mirror);
  await staged("endpoints and readiness", endpoints);
  await staged("lease handed over", handedOver);
  await staged("lease, ten candidates", manyCandidates);
  await staged("lease, holder cut off", holderCutOff);
  await staged("lease, API server away", serverAway);
  await staged("watch reset again and again", resets);
  await staged("watch in silence", silence);
  await staged("watch without rights", rightsLost);
  await staged("watch, API server killed", serverKilled);
  await staged("watch cut, topic deleted meanwhile", cutAndDeleted);
  await staged("list cut short", cutShort);
} finally {
  await plane.stop();
}
rows.end();
