import type { Assignment, ControllerStatus } from "@kaas/core";
import type { ReflectorHealth, RegisteredBroker } from "@kaas/k8s";
import type { DataPlaneStatus } from "./messages.js";

/** All that is known of this broker, for whoever asks how it is. */
export interface BrokerCondition {
  readonly name: string;
  readonly incarnation: string;
  readonly version: string;
  /** Since the data plane was last seen at work. */
  readonly silentMs: number;
  readonly isAlive: boolean;
  readonly isDraining: boolean;
  /** Undefined before the data plane has said anything. */
  readonly status: DataPlaneStatus | undefined;
  /** Undefined where this broker is alone. */
  readonly cluster: ClusterCondition | undefined;
}

/** The cluster as this broker knows it. */
export interface ClusterCondition {
  readonly assignment: Assignment | undefined;
  /** Since that was adopted here; −1: none was. */
  readonly assignmentAgeMs: number;
  /** Name of the broker that lives and has this one's node id; undefined where there is none. */
  readonly nodeIdOwner: string | undefined;
  readonly controller: ControllerStatus;
  /** Name of the broker that holds the lease, as far as is known. */
  readonly leaseHolder: string | undefined;
  /** Whether this broker has heard from the controller lately. */
  readonly isHeard: boolean;
  readonly isTopicWatchSynced: boolean;
  readonly topicWatch: ReflectorHealth["state"];
  /** Whether somebody wants this broker to lead nothing. */
  readonly isDrainWished: boolean;
  /** Where this broker stands. */
  readonly rack: string | null;
  /** The brokers' pods as Kubernetes has them, which decides nothing; undefined before it has told of them. */
  readonly pods: readonly RegisteredBroker[] | undefined;
}

/** Why a broker is not ready; nothing where it is. */
export function missingForReadiness({ isAlive, isDraining, status, cluster }: BrokerCondition): string[] {
  const missing: string[] = [];
  if (!isAlive) missing.push("the data plane does not answer");
  if (status === undefined || status.listeners.length === 0) missing.push("the listeners are not bound");
  if (isDraining) missing.push("what is led here is handed over");
  if (cluster?.nodeIdOwner !== undefined) missing.push(`its node id is that of ${cluster.nodeIdOwner}, which lives`);
  else if (cluster !== undefined && cluster.assignment === undefined) missing.push("no assignment is known");
  if (status === undefined) return missing;
  const { recovering, assigned } = status;
  if (recovering > 0) missing.push(`${recovering} of ${assigned} partitions and slots are not open`);
  if (status.storage === "fenced") missing.push("another process has taken over");
  return missing;
}

/** The body of `/healthz`. */
export function healthBody(condition: BrokerCondition): Record<string, unknown> {
  const { name, incarnation, version, silentMs, isAlive, isDraining, status, cluster } = condition;
  return {
    healthy: isAlive,
    name,
    incarnation,
    version,
    dataPlane: { alive: isAlive, silentMs: Math.round(silentMs) },
    draining: isDraining,
    listeners: (status?.listeners ?? []).map(({ listenerName, host, port }) => `${listenerName}://${host}:${port}`),
    leadership: {
      led: status?.led ?? 0,
      assigned: status?.assigned ?? 0,
      recovering: status?.recovering ?? 0,
      releasing: status?.releasing ?? 0,
    },
    storage: { status: status?.storage ?? "unknown", stalled: status?.storage === "storage_stalled" },
    fuse: { ageMs: status === undefined ? null : Math.round(status.fuseAgeMs) },
    ...(cluster === undefined ? {} : { cluster: clusterBody(cluster) }),
  };
}

function clusterBody(cluster: ClusterCondition): Record<string, unknown> {
  const { assignment, assignmentAgeMs, controller, leaseHolder, isHeard, isTopicWatchSynced, isDrainWished } = cluster;
  const { rack, pods, topicWatch } = cluster;
  return {
    controllerId: assignment?.controllerId ?? -1,
    leaseHolder: leaseHolder ?? null,
    heardByController: isHeard,
    assignment: {
      controllerEpoch: assignment?.controllerEpoch ?? -1,
      version: assignment?.version ?? -1,
      ageMs: Math.round(assignmentAgeMs),
    },
    controller: { ...controller, publishedAgoMs: Math.round(controller.publishedAgoMs) },
    topicWatchSynced: isTopicWatchSynced,
    topicWatch,
    drainWished: isDrainWished,
    rack,
    pods: pods?.map(({ name, state, zone }) => ({ name, state, zone: zone ?? null })) ?? null,
  };
}
