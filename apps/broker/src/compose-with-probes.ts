import type { BrokerConfig, KafkaBroker, Log } from "@kaas/core";
import { systemClock, type Volume } from "@kaas/storage";
import { type SoleServingBroker, type ServingBroker, serve } from "./compose.js";
import { ControlThread, type StartControl } from "./control/control-thread.js";
import { DataPlaneReporter } from "./control/data-plane-reporter.js";
import type { HealthSettings } from "./settings/cluster-settings.js";
import { metricsText } from "./volume-metrics.js";

export interface ProbedServeOptions {
  readonly config: BrokerConfig;
  /** The data directory, and further ones; none: in memory. */
  readonly directories: readonly string[];
  readonly log: Log;
  readonly logLevel: string;
  readonly isTerminal: boolean;
  readonly version: string;
  readonly health: HealthSettings;
}

/**
 * Starts a broker that is alone, and answers probes and scrapes from a thread of its own.
 *
 * @throws KaasError as {@link serve} does; nothing is left open then.
 */
export async function serveWithProbes(
  options: ProbedServeOptions,
  startControl: StartControl = ControlThread.start,
): Promise<ServingBroker> {
  const { config, directories, log, logLevel, isTerminal, version, health } = options;
  const name = `kaas-${config.nodeId}`;
  const settings = { name, incarnation: "", version, logLevel, isTerminal, health, cluster: undefined };
  const control = await startControl(settings, systemClock, log);
  let serving: SoleServingBroker;
  try {
    serving = await serve(config, directories, log, version);
  } catch (error) {
    await control.stop();
    throw error;
  }
  const { broker, volume } = serving;
  const stopReporting = report(control, broker, volume);
  return {
    broker,
    fenced: Promise.race([serving.fenced, control.failed]),
    isSuperseded: () => serving.isSuperseded(),
    async close() {
      control.send({ type: "drain" });
      try {
        await serving.close();
      } finally {
        stopReporting();
        await control.stop();
      }
    },
  };
}

/** Tells the control plane how the broker is; returns what ends that. */
function report(control: ControlThread, broker: KafkaBroker, volume: Volume): () => void {
  control.listen({
    assigned: () => undefined,
    topicChanged: () => undefined,
    topicDeleted: () => undefined,
    metrics: () => metricsText(broker, volume),
  });
  const reporter = new DataPlaneReporter({
    broker,
    volume,
    clock: systemClock,
    send: (message) => control.send(message),
    isInCluster: false,
  });
  reporter.start();
  return () => reporter.stop();
}
