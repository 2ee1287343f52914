// main.ts FOLDER CERTIFICATES [ROW…]: KafkaUsers from end to end, with brokers, operator and a real API server, which keeps its
// data in FOLDER. Prints ok/FAIL lines, then 'done'.
import { ControlPlane } from "../kubernetes/control-plane.js";
import { prepare } from "../kubernetes/suite/stage.js";
import { Rows } from "../lib/rows.js";
import { authorityIsPublished, certified } from "./certificate-rows.js";
import { administered, restartedAlone, topicIsChanged } from "./cluster-rows.js";
import { Stage } from "./stage.js";
import { deleted, loggedIn, refusedTheRest, rotated, throttled, topicIsServed } from "./user-rows.js";

const [folder = "", certificates = "", ...only] = process.argv.slice(2);
const rows = new Rows(only);

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
    await rows.run("a KafkaTopic is served", () => topicIsServed(stage));
    await rows.run("a KafkaUser logs in with its Secret", () => loggedIn(stage));
    await rows.run("it is allowed nothing else", () => refusedTheRest(stage));
    await rows.run("it is throttled at its quota", () => throttled(stage));
    await rows.run("its password is rotated", () => rotated(stage));
    await rows.run("whom to trust is published", () => authorityIsPublished(stage));
    await rows.run("a KafkaUser logs in with a certificate", () => certified(stage));
    await rows.run("a broker restarted without API server and operator", () => restartedAlone(stage));
    await rows.run("a KafkaTopic is changed", () => topicIsChanged(stage));
    await rows.run("topics of admin clients are KafkaTopics", () => administered(stage));
    await rows.run("a KafkaUser that is deleted", () => deleted(stage));
  } finally {
    if (rows.failed > 0) console.error(stage.cluster.complaints().join("\n"));
    await stage.end();
  }
} finally {
  await plane.stop();
}
rows.end();
