// main.ts FOLDER [ROW…]: what a cluster of three broker processes does with a real API server, which keeps its data in
// FOLDER. Prints ok/FAIL lines, then 'done'.
import { ControlPlane } from "../kubernetes/control-plane.js";
import { NAMESPACE, prepare } from "../kubernetes/suite/stage.js";
import { Rows } from "../lib/rows.js";
import { clocksJump, leaseTaken, rollingRestart, twoOfOneName } from "./adversity-rows.js";
import { Cluster } from "./cluster.js";
import { ClusterOperator } from "./cluster-operator.js";
import { partitionsMove } from "./moving-rows.js";
import { MovingTopic } from "./moving-topic.js";
import { operatorDeleted } from "./operator-rows.js";
import { apiServerAway, drain, election, PARTITIONS, stopped, takeover, TOPIC } from "./rows.js";

const LEASE = "kaas-controller";
const KILLS = 20;
const AWAY_SECONDS = 60;
const DELETED_SECONDS = 20;
const STOPPED_SECONDS = 12;
const CLOCK_SECONDS = 6;

const [folder = "", ...only] = process.argv.slice(2);
const rows = new Rows(only);

const plane = await ControlPlane.start({ folder, users: ["operator"] });
await prepare(plane);
const cluster = new Cluster({
  kubeconfig: plane.kubeconfig,
  namespace: NAMESPACE,
  brokers: 3,
  furtherVolumes: ["fast"],
  hasClocks: true,
});
const operator = await ClusterOperator.prepare(plane, NAMESPACE, cluster.directory);
const apiServer = {
  kill: () => plane.killComponent("kube-apiserver"),
  comeBack: () => plane.startComponent("kube-apiserver"),
};
const epochNow = async (): Promise<number> => {
  const told = await Promise.all(cluster.brokers.map((broker) => broker.health()));
  return Math.max(...told.map((health) => health?.cluster?.assignment.controllerEpoch ?? -1));
};
const giveLeaseAway = async (): Promise<void> => {
  const now = new Date().toISOString().replace("Z", "000Z");
  const spec = { holderIdentity: "nobody/at-all", acquireTime: now, renewTime: now };
  const path = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/${LEASE}`;
  await plane.ask("PATCH", path, JSON.stringify({ spec }), "application/merge-patch+json");
};
try {
  await cluster.makeTopics({ [TOPIC]: PARTITIONS.length });
  await cluster.start();
  await cluster.balanced();
  await rows.run("election", () => election(cluster));
  await rows.run("takeover", () => takeover(cluster, KILLS));
  await rows.run("drain", () => drain(cluster));
  await rows.run("rolling restart under Java clients", () => rollingRestart(cluster));
  await rows.run("two processes of one pod's name", () => twoOfOneName(cluster));
  await rows.run("lease taken from a controller that lives", () => leaseTaken(cluster, epochNow, giveLeaseAway));
  await rows.run("clocks that jump", () => clocksJump(cluster, CLOCK_SECONDS));
  await rows.run("api server away", () => apiServerAway(cluster, apiServer, AWAY_SECONDS));
  await rows.run("partitions that move", async () => {
    await operator.start();
    return await partitionsMove(cluster, new MovingTopic(plane, NAMESPACE, cluster.directory, "parcels"));
  });
  await rows.run("operator deleted", () => operatorDeleted(cluster, operator, DELETED_SECONDS));
  await rows.run("stopped leader", () => stopped(cluster, "leader", STOPPED_SECONDS));
  await rows.run("stopped controller", () => stopped(cluster, "controller", STOPPED_SECONDS));
  await rows.run("stopped both", () => stopped(cluster, "both", STOPPED_SECONDS));
} finally {
  if (rows.failed > 0) console.error(cluster.complaints().join("\n"));
  await operator.kill();
  await cluster.close();
}
rows.end();
