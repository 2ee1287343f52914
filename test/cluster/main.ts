// main.ts FOLDER [ROW…]: what a cluster of three broker processes does with a real API server, which keeps its data in
// FOLDER. Prints ok/FAIL lines, then 'done'.
import { ControlPlane } from "../kubernetes/control-plane.js";
import { NAMESPACE, prepare } from "../kubernetes/suite/stage.js";
import { Cluster } from "./cluster.js";
import { apiServerAway, drain, election, PARTITIONS, stopped, takeover, TOPIC } from "./rows.js";

const KILLS = 20;
const AWAY_SECONDS = 60;
const STOPPED_SECONDS = 12;

const [folder = "", ...only] = process.argv.slice(2);
let failed = 0;

async function row(name: string, run: () => Promise<string>): Promise<void> {
  if (only.length > 0 && !only.includes(name)) return;
  try {
    console.log(`ok    ${name}: ${await run()}`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}: ${(error as Error).message}`);
  }
}

const plane = await ControlPlane.start({ folder });
await prepare(plane);
const cluster = new Cluster({ kubeconfig: plane.kubeconfig, namespace: NAMESPACE, brokers: 3 });
const apiServer = {
  kill: () => plane.killComponent("kube-apiserver"),
  comeBack: () => plane.startComponent("kube-apiserver"),
};
try {
  await cluster.makeTopics({ [TOPIC]: PARTITIONS.length });
  await cluster.start();
  await cluster.balanced();
  await row("election", () => election(cluster));
  await row("takeover", () => takeover(cluster, KILLS));
  await row("drain", () => drain(cluster));
  await row("api server away", () => apiServerAway(cluster, apiServer, AWAY_SECONDS));
  await row("stopped leader", () => stopped(cluster, "leader", STOPPED_SECONDS));
  await row("stopped controller", () => stopped(cluster, "controller", STOPPED_SECONDS));
  await row("stopped both", () => stopped(cluster, "both", STOPPED_SECONDS));
} finally {
  await cluster.close();
}
console.log("done");
process.exit(failed === 0 ? 0 : 1);
