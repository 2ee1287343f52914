import { type Configuration, configuration } from "./configuration.js";

/** The steps of the protocol that the model can do without, to show that it finds what follows. */
export const REMOVED_STEPS = [
  "the fuse is read",
  "the fuse is read after the sync",
  "the fuse is read uncached",
  "who comes late waits for the next read of the fuse",
  "a record is synced",
  "a sync covers only what was written before it",
  "fuses are blown",
  "all lower claims count, not only the newest",
  "our own is an incarnation, not a name",
  "the blow comes before the measuring",
  "the blow is durable before the measuring",
  "a listing after the blow",
  "the seal comes after the blow",
  "claims are exclusive",
  "a doubtful claim is read back",
  "content before name",
  "the second listing",
  "the tail is read uncached",
  "the tail is rewritten",
  "the rewritten tail is synced",
  "earlier seals bind",
  "the newest seal binds, not the oldest",
  "it serves once it has sealed",
  "the fuse is read before anything is shown",
  "a failed file is dead",
  "a failed sync is not tried again",
  "the marker comes after the last acknowledgement",
  "a later seal counts more than a marker",
  "the manifest is durable before a file is removed",
  "the fuse is read before a file is removed",
  "only the newest sealed epoch's manifest counts",
  "the fuse is read before a sweep",
  "a sweep leaves later epochs alone",
  "a claim is withdrawn once",
  "copies are synced",
  "copies carry the epoch of who made them",
  "what was handed over goes along, not what was there before",
  "what is left is copied after the hand-over",
  "it departs at an epoch that it has claimed",
  "only who led last departs",
  "the fuse is read before it is noted that it went",
  "a departure is followed once it is noted",
  "who may seal yet is sealed over",
  "epochs go on from where the log left",
  "what was sealed here since counts more than what arrives",
  "what an epoch has left tells of it, not its claim alone",
  "it is recorded where it lies once it is led there",
  "what says where it went stays",
  "a sweep leaves the copies of later epochs alone",
] as const;

export type RemovedStep = (typeof REMOVED_STEPS)[number];

const two = configuration("two processes", { processes: 2, epochs: 2 });
const three = configuration("three processes", {});
const twoRecords = configuration("two records an epoch", { processes: 2, epochs: 2, cells: 2 });
const crash = configuration("a crash of the server", { serverCrashes: 1 });
const fileError = configuration("a file error", { processes: 2, epochs: 2, cells: 2, fileErrors: 1 });
const fourEpochs = configuration("four epochs, and a file error", { epochs: 4, fileErrors: 1, records: 2 });
const releases = configuration("handing over", { releases: true });
const disposals = configuration("removing files", { disposals: true });
const sweeps = configuration("sweeping", { sweeps: true });
const withdrawals = configuration("giving up", { processes: 2, withdrawals: true });
const moves = configuration("moving", { processes: 2, records: 1, moves: 1 });
const arrivals = configuration("moving, four epochs", { processes: 2, epochs: 4, records: 2, moves: 1 });
const threeMove = configuration("moving, three processes", { records: 1, moves: 1 });
const fourEpochsMove = configuration("moving, three processes and four epochs", { epochs: 4, records: 1, moves: 1 });
const sweptMoves = configuration("moving and sweeping", { processes: 2, records: 2, moves: 1, sweeps: true });
const slot = configuration("a slot", { kind: "slot", disposals: true, sweeps: true });

/** In which small worlds the lack of each step is found. */
export const WORLDS: Readonly<Record<RemovedStep, readonly Configuration[]>> = {
  "the fuse is read": [two, slot],
  "the fuse is read after the sync": [two, slot],
  "the fuse is read uncached": [two, slot],
  "who comes late waits for the next read of the fuse": [twoRecords],
  "a record is synced": [two, slot],
  "a sync covers only what was written before it": [twoRecords],
  "fuses are blown": [two, slot],
  "all lower claims count, not only the newest": [three],
  "our own is an incarnation, not a name": [two, slot],
  "the blow comes before the measuring": [two, slot],
  "the blow is durable before the measuring": [two, slot],
  "a listing after the blow": [three, slot],
  "the seal comes after the blow": [two, slot],
  "claims are exclusive": [three],
  "a doubtful claim is read back": [three],
  "content before name": [two, slot],
  "the second listing": [crash, sweeps],
  "the tail is read uncached": [two, slot],
  "the tail is rewritten": [crash],
  "the rewritten tail is synced": [crash],
  "earlier seals bind": [three],
  "the newest seal binds, not the oldest": [fourEpochs],
  "it serves once it has sealed": [two, slot],
  "the fuse is read before anything is shown": [crash],
  "a failed file is dead": [fileError],
  "a failed sync is not tried again": [fileError],
  "the marker comes after the last acknowledgement": [releases],
  "a later seal counts more than a marker": [releases],
  "the manifest is durable before a file is removed": [disposals, slot],
  "the fuse is read before a file is removed": [disposals, slot],
  "only the newest sealed epoch's manifest counts": [{ ...fourEpochs, disposals: true }],
  "the fuse is read before a sweep": [sweeps, slot],
  "a sweep leaves later epochs alone": [sweeps],
  "a claim is withdrawn once": [withdrawals, { ...withdrawals, name: "a slot, giving up", kind: "slot" }],
  "copies are synced": [moves],
  "copies carry the epoch of who made them": [moves],
  "what was handed over goes along, not what was there before": [moves],
  "what is left is copied after the hand-over": [moves],
  "it departs at an epoch that it has claimed": [threeMove],
  "only who led last departs": [moves],
  "the fuse is read before it is noted that it went": [moves],
  "a departure is followed once it is noted": [threeMove],
  "who may seal yet is sealed over": [fourEpochsMove],
  "epochs go on from where the log left": [moves],
  "what was sealed here since counts more than what arrives": [arrivals],
  "what an epoch has left tells of it, not its claim alone": [sweptMoves],
  "it is recorded where it lies once it is led there": [moves],
  "what says where it went stays": [sweptMoves],
  "a sweep leaves the copies of later epochs alone": [sweptMoves],
};
