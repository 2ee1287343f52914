import { Exposition, NO_LEADER } from "@kaas/core";
import type { RegisteredBroker } from "@kaas/k8s";
import type { BrokerCondition, ClusterCondition } from "./health-view.js";

const PER_SECOND = 1_000;

/** What the control plane knows itself, whether or not the data plane answers. */
export function controlMetrics(condition: BrokerCondition): string {
  const exposition = new Exposition();
  const { isAlive, silentMs, isDraining, version, cluster } = condition;
  exposition
    .family("kaas_build_info", "gauge", "Version of this broker; always 1.")
    .sample(1, { version })
    .single("kaas_data_plane_alive", "gauge", "Whether the thread that serves clients is at work.", Number(isAlive))
    .single(
      "kaas_data_plane_silent_seconds",
      "gauge",
      "Since the thread that serves clients was last seen at work.",
      silentMs / PER_SECOND,
    )
    .single(
      "kaas_draining",
      "gauge",
      "Whether this broker hands over what it leads, or is to lead nothing.",
      Number(isDraining || cluster?.isDrainWished === true),
    );
  if (cluster !== undefined) writeCluster(exposition, cluster);
  else writeAlone(exposition);
  return exposition.text();
}

function writeAlone(exposition: Exposition): void {
  writeController(exposition, 1, 0);
}

function writeController(exposition: Exposition, active: number, offline: number): void {
  exposition
    .single(
      "kafka_controller_kafkacontroller_activecontrollercount",
      "gauge",
      "1 on the broker that is the controller, 0 on others.",
      active,
    )
    .single(
      "kafka_controller_kafkacontroller_offlinepartitionscount",
      "gauge",
      "Partitions without a leader, as the controller sees it; 0 on other brokers.",
      offline,
    );
}

function writeCluster(exposition: Exposition, cluster: ClusterCondition): void {
  const { assignment, assignmentAgeMs, controller, isHeard } = cluster;
  const isController = controller.state !== "idle";
  let offline = 0;
  if (isController) {
    for (const { leaders } of assignment?.topics ?? []) offline += leaders.filter((id) => id === NO_LEADER).length;
  }
  writeController(exposition, Number(isController), offline);
  exposition
    .single(
      "kaas_assignment_epoch",
      "gauge",
      "Controller epoch of the assignment in force; -1: none.",
      assignment?.controllerEpoch ?? -1,
    )
    .single(
      "kaas_assignment_version",
      "gauge",
      "Version of the assignment in force; -1: none.",
      assignment?.version ?? -1,
    )
    .single(
      "kaas_assignment_age_seconds",
      "gauge",
      "Since the assignment in force was adopted here.",
      assignmentAgeMs / PER_SECOND,
    )
    .single(
      "kaas_heartbeat_heard",
      "gauge",
      "Whether the controller answers this broker's heartbeats.",
      Number(isHeard),
    );
  if (cluster.pods !== undefined) writePods(exposition, cluster.pods);
  if (!isController) return;
  exposition.single(
    "kaas_controller_moving",
    "gauge",
    "Partitions and slots that are on their way to another broker.",
    controller.moving,
  );
  exposition.family("kaas_controller_brokers", "gauge", "Brokers by what the controller thinks of them.");
  for (const state of ["leading", "draining", "unhealthy", "lost"] as const) {
    exposition.sample(controller.brokers.filter((broker) => broker.state === state).length, { state });
  }
}

function writePods(exposition: Exposition, pods: readonly RegisteredBroker[]): void {
  exposition.family("kaas_pods", "gauge", "Brokers' pods by what Kubernetes has of them.");
  for (const state of ["serving", "fenced"] as const) {
    exposition.sample(pods.filter((pod) => pod.state === state).length, { state });
  }
}
