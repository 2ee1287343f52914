/** The second thread of a broker: see control-plane.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { connectKubernetes } from "@kaas/k8s";
import { posixFileSystem, systemClock, systemRandom } from "@kaas/storage";
import { createLog } from "../logging.js";
import { ControlPlane } from "./control-plane.js";
import { linkOver } from "./control-link.js";
import type { ControlSettings } from "./control-settings.js";
import type { TickMemory } from "./liveness.js";
import type { FromControl, ToControl } from "./messages.js";

const { settings, ticks } = workerData as { readonly settings: ControlSettings; readonly ticks: TickMemory };
if (parentPort === null) throw new Error("this file is for a worker thread");
const log = await createLog(settings.logLevel, settings.isTerminal, 1);
const kubeconfig = settings.cluster?.kubeconfig;
await new ControlPlane({
  settings,
  link: linkOver<FromControl, ToControl>(parentPort),
  ticks,
  clock: systemClock,
  random: systemRandom,
  log,
  fileSystem: posixFileSystem,
  kubernetes: async () => (await connectKubernetes({ environment: process.env, clock: systemClock, kubeconfig })).api,
}).start();
