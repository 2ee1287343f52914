/** Between what goes over the wire and what the rest of the broker works with. */
import type {
  Assignment,
  ClusterBroker,
  HeartbeatAnswer,
  HeartbeatReport,
  HeartbeatVerdict,
  LeaderWish,
  OngoingMove,
  WishResult,
} from "@kaas/core";
import type * as wire from "./generated/kaas/peers/v1/peers.js";

const VERDICTS: readonly HeartbeatVerdict[] = ["ok", "resync", "superseded", "node-id-taken", "not-controller"];

export function reportToWire(report: HeartbeatReport, hangsUp = false): wire.HeartbeatRequest {
  return {
    ...report,
    hangsUp,
    rack: report.rack ?? undefined,
    listeners: [...report.listeners],
    led: [...report.led],
    slots: { groups: [...report.slots.groups], transactions: [...report.slots.transactions] },
  };
}

export function reportFromWire(request: wire.HeartbeatRequest): HeartbeatReport {
  const { hangsUp: _, ...report } = request;
  return { ...report, rack: report.rack ?? null, slots: report.slots ?? { groups: [], transactions: [] } };
}

export function answerFromWire({ verdict, ...answer }: wire.HeartbeatAnswer): HeartbeatAnswer {
  // A controller of a later version may say something that this one does not know: it says that all over again then.
  return { ...answer, verdict: VERDICTS.find((known) => known === verdict) ?? "resync" };
}

export function assignmentToWire(assignment: Assignment): wire.Assignment {
  return {
    ...assignment,
    brokers: assignment.brokers.map((broker) => ({
      ...broker,
      rack: broker.rack ?? undefined,
      listeners: [...broker.listeners],
    })),
    topics: assignment.topics.map((topic) => ({
      ...topic,
      leaders: [...topic.leaders],
      leaderEpochs: [...topic.leaderEpochs],
      wishes: (topic.wishes ?? []).map((wish) => ({ ...wish, brokers: [...wish.brokers] })),
    })),
    slots: { groups: [...assignment.slots.groups], transactions: [...assignment.slots.transactions] },
  };
}

export function assignmentFromWire(assignment: wire.Assignment): Assignment {
  return {
    ...assignment,
    brokers: assignment.brokers.map((broker): ClusterBroker => ({ ...broker, rack: broker.rack ?? null })),
    topics: assignment.topics.map(({ wishes, ...topic }) => (wishes.length === 0 ? topic : { ...topic, wishes })),
    slots: assignment.slots ?? { groups: [], transactions: [] },
  };
}

export function wishToWire({ brokers, ...partition }: LeaderWish): wire.LeaderWish {
  return { partition, brokers: [...(brokers ?? [])], isWithdrawn: brokers === null };
}

export function wishFromWire({ partition, brokers, isWithdrawn }: wire.LeaderWish): LeaderWish {
  return { ...(partition ?? NO_PARTITION), brokers: isWithdrawn ? null : brokers };
}

export function resultToWire({ errorCode, message }: WishResult): wire.WishResult {
  return { errorCode, message: message ?? undefined };
}

export function resultFromWire({ errorCode, message }: wire.WishResult): WishResult {
  return { errorCode: errorCode as WishResult["errorCode"], message: message ?? null };
}

export function moveToWire({ from, to, ...partition }: OngoingMove): wire.OngoingMove {
  return { partition, from, to };
}

export function moveFromWire({ partition, from, to }: wire.OngoingMove): OngoingMove {
  return { ...(partition ?? NO_PARTITION), from, to };
}

const NO_PARTITION = { topic: "", topicId: "", partition: -1 } as const;
