/**
 * What the two threads say to each other. Small messages, each whole by itself; none is sent for a request of produce or
 * fetch.
 */
import type {
  AclAdmin,
  AdvertisedListener,
  Assignment,
  LeadershipWishes,
  LedPartition,
  OpenSlots,
  TopicAdmin,
  TopicPartitions,
  UserAdmin,
} from "@kaas/core";
import type { VolumeStatus } from "@kaas/storage";

/** How the data plane is. Sent every second, and when something of it changes. */
export interface DataPlaneStatus {
  /** Empty until the listeners are bound. */
  readonly listeners: readonly AdvertisedListener[];
  readonly storage: VolumeStatus;
  readonly fuseAgeMs: number;
  readonly led: number;
  readonly assigned: number;
  readonly recovering: number;
  readonly releasing: number;
}

/** What is led differs so from what was said before. */
export interface LedChange {
  readonly opened: readonly LedPartition[];
  readonly closed: readonly Pick<LedPartition, "topicId" | "partition">[];
  /** All that are open. */
  readonly slots: OpenSlots;
}

/** What the control plane does for the data plane beyond this process: see the ports of these names. */
export interface ControlServices {
  readonly topics: TopicAdmin;
  readonly users: UserAdmin;
  readonly acls: AclAdmin;
  readonly wishes: LeadershipWishes;
}

/** A call of one of the services. */
export interface ServiceCall {
  readonly service: keyof ControlServices;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** From the data plane to the control plane. */
export type ToControl =
  /** The volume is open. */
  | { readonly type: "opened"; readonly slotCount: number }
  | { readonly type: "status"; readonly status: DataPlaneStatus }
  | { readonly type: "led"; readonly change: LedChange }
  /** All topics of the volume. */
  | { readonly type: "topics"; readonly topics: readonly TopicPartitions[] }
  /** Hand over what is led here. */
  | { readonly type: "drain" }
  | { readonly type: "metrics"; readonly id: number; readonly text: string }
  | { readonly type: "call"; readonly id: number; readonly call: ServiceCall }
  /** End, in order. */
  | { readonly type: "stop" };

/** From the control plane to the data plane. */
export type FromControl =
  /** Its servers are bound, or will not be: `problem` says why. */
  | { readonly type: "started"; readonly healthPort: number | undefined }
  /** This broker takes part in its cluster. */
  | { readonly type: "joined" }
  | { readonly type: "start-failed"; readonly code: string; readonly message: string }
  | { readonly type: "assignment"; readonly assignment: Assignment }
  /** A topic may be different on the volume. */
  | { readonly type: "topic-changed"; readonly name: string; readonly topicId: string | undefined }
  /** A topic is to be let go of at once. */
  | { readonly type: "topic-deleted"; readonly name: string; readonly topicId: string | undefined }
  | { readonly type: "metrics-wanted"; readonly id: number }
  | { readonly type: "answer"; readonly id: number; readonly value: unknown }
  | { readonly type: "failure"; readonly id: number; readonly code: string; readonly message: string }
  | { readonly type: "stopped" };
