import { MessageChannel } from "node:worker_threads";
import type { KubernetesApi } from "@kaas/k8s";
import { posixFileSystem, systemRandom } from "@kaas/storage";
import { linkOver } from "../../apps/broker/src/control/control-link.js";
import { ControlPlane } from "../../apps/broker/src/control/control-plane.js";
import { ControlThread, type StartControl } from "../../apps/broker/src/control/control-thread.js";
import { tickMemory } from "../../apps/broker/src/control/liveness.js";
import type { FromControl, ToControl } from "../../apps/broker/src/control/messages.js";

/** The control plane in the same thread, with an API server of the test's. */
export function controlInProcess(api: KubernetesApi): StartControl {
  return async (settings, clock, log) => {
    const { port1, port2 } = new MessageChannel();
    const ticks = tickMemory();
    const plane = new ControlPlane({
      settings,
      link: linkOver<FromControl, ToControl>(port1),
      ticks,
      clock,
      random: systemRandom,
      log,
      fileSystem: posixFileSystem,
      kubernetes: async () => api,
    });
    const thread = new ControlThread(linkOver<ToControl, FromControl>(port2), ticks, clock);
    await plane.start();
    await thread.started(log);
    return thread;
  };
}
