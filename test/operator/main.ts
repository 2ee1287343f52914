// main.ts FOLDER [ROW…]: what the operator does with a real API server, which keeps its data in FOLDER. Prints ok/FAIL
// lines, then 'done'.
import { ControlPlane } from "../kubernetes/control-plane.js";
import { prepare } from "../kubernetes/suite/stage.js";
import { Rows } from "../lib/rows.js";
import { everyOrder, wholeNamespace } from "./deletion-rows.js";
import { refused, taken } from "./example-rows.js";
import { handedOver, serverKilled } from "./outage-rows.js";
import { asProcess } from "./process-rows.js";
import { clusters, topics, untouched, users } from "./resource-rows.js";
import { OPERATOR_USER, Site } from "./site.js";

const [folder = "", ...only] = process.argv.slice(2);
const rows = new Rows(only);

const plane = await ControlPlane.start({
  folder,
  components: ["kube-controller-manager"],
  users: [OPERATOR_USER],
});

async function onSite(name: string, run: (site: Site) => Promise<string>): Promise<void> {
  await rows.run(name, async () => {
    const site = await Site.open(plane, name.replace(/\W+/g, "-").toLowerCase());
    try {
      return await run(site);
    } finally {
      await site.end();
    }
  });
}

try {
  await prepare(plane);
  await plane.restartControllers();
  await onSite("resources that are fine are taken", taken);
  await onSite("resources that are not are refused", refused);
  await onSite("topics", topics);
  await onSite("users", users);
  await onSite("clusters", clusters);
  await onSite("a topic that is being deleted", untouched);
  await onSite("handed over", handedOver);
  await onSite("as a process", asProcess);
  await rows.run("deleted in every order", () => everyOrder(plane));
  await rows.run("namespaces", () => wholeNamespace(plane));
  await onSite("API server killed", serverKilled);
} finally {
  await plane.stop();
}
rows.end();
