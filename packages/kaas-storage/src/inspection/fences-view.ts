import type { Incarnation } from "../leadership/fuse-file.js";
import { type BrokerView, viewBrokers } from "./broker-view.js";
import { type ClaimedPlace, type ClaimView, type ClaimsView, viewClaims } from "./claims-view.js";
import type { Finding } from "./finding.js";
import type { VolumeView } from "./volume-view.js";

/** One start of a broker's process that the volume knows: by its fuse, or by what it claimed. */
export interface ProcessView extends Incarnation {
  /** `gone`: it has ended in order, or its successor has cleared it away; that counts as blown. */
  readonly fuse: BrokerView["fuse"] | "gone";
  /** Undefined where it is gone. */
  readonly file: string | undefined;
  /** Since when the fuse says so, by the file server's clock. */
  readonly sinceMs: number | undefined;
  /** Who blew it, where it says so. */
  readonly blownBy: Incarnation | undefined;
  /** What the process said of itself. */
  readonly description: BrokerView["description"];
  /** Partitions and slots of which it has the newest claim, not handed over. */
  readonly claims: number;
}

/** The processes that a volume knows. */
export interface ProcessesView {
  readonly processes: readonly ProcessView[];
  readonly findings: readonly Finding[];
}

/** A partition or a slot that was taken from a process that had not handed it over. */
export interface Takeover extends Pick<ClaimedPlace, "kind" | "topic" | "number" | "directory"> {
  /** The claim that was overtaken. */
  readonly epoch: number;
  readonly from: Incarnation;
  /** The claim that overtook it. */
  readonly takenEpoch: number;
  readonly by: Incarnation;
  /** Whether that one's leader began: by then, the fuse was blown. */
  readonly isComplete: boolean;
}

/**
 * Which processes were fenced. A blown fuse stays until its broker is started again; a claim that was overtaken, until
 * whoever leads now has swept it.
 */
export interface FencesView {
  /** Those whose fuse somebody blew, or that were taken something from. */
  readonly fenced: readonly ProcessView[];
  readonly takeovers: readonly Takeover[];
  readonly findings: readonly Finding[];
}

/** All processes that have left a fuse, or hold a claim that is in force. */
export async function viewProcesses(view: VolumeView): Promise<ProcessesView> {
  const claims = await viewClaims(view);
  const holders = newestClaims(claims);
  return { processes: await describe(view, holders, holders), findings: claims.findings };
}

/** Everything that was taken over. Claims are read before fuses: whoever has begun had blown the fuse by then. */
export async function viewFences(view: VolumeView): Promise<FencesView> {
  const claims = await viewClaims(view);
  const takeovers = claims.places.flatMap(takeoversOf);
  const lost = takeovers.map(({ from }) => from);
  const processes = await describe(view, lost, newestClaims(claims));
  const fenced = processes.filter((one) => one.fuse === "blown" || lost.some((from) => isSame(from, one)));
  return { fenced, takeovers, findings: claims.findings };
}

function takeoversOf({ claims, ...place }: ClaimedPlace): Takeover[] {
  return claims.flatMap((claim, at) => {
    if (claim.isReleased) return [];
    const higher = claims.slice(at + 1);
    const next = higher.find(({ hasBegun }) => hasBegun) ?? higher[0];
    if (next === undefined || isSame(next, claim)) return [];
    const { epoch } = claim;
    const { epoch: takenEpoch, hasBegun: isComplete } = next;
    return [{ ...place, epoch, from: identityOf(claim), takenEpoch, by: identityOf(next), isComplete }];
  });
}

/** Processes that have a fuse, and others that are named by claims; by broker, those without a fuse last. */
async function describe(
  view: VolumeView,
  named: readonly Incarnation[],
  holders: readonly Incarnation[],
): Promise<ProcessView[]> {
  const claimsOf = (one: Incarnation): number => holders.filter((holder) => isSame(holder, one)).length;
  const processes: ProcessView[] = [];
  for (const { broker, incarnation, fuse, file, blownBy, description } of await viewBrokers(view)) {
    const who = { broker, incarnation };
    const sinceMs = (await view.host.statusOf(file))?.modifiedMs;
    processes.push({ ...who, fuse, file, sinceMs, blownBy, description, claims: claimsOf(who) });
  }
  for (const who of named) {
    if (processes.some((one) => isSame(one, who))) continue;
    const nothing = { file: undefined, sinceMs: undefined, blownBy: undefined, description: undefined };
    processes.push({ ...identityOf(who), fuse: "gone", ...nothing, claims: claimsOf(who) });
  }
  return processes.sort((one, other) => (one.broker === other.broker ? 0 : one.broker < other.broker ? -1 : 1));
}

/** Who holds each partition and slot that was not handed over. */
function newestClaims({ places }: ClaimsView): Incarnation[] {
  return places.flatMap(({ claims }) => {
    const newest: ClaimView | undefined = claims.at(-1);
    return newest === undefined || newest.isReleased ? [] : [newest];
  });
}

function identityOf({ broker, incarnation }: Incarnation): Incarnation {
  return { broker, incarnation };
}

function isSame(one: Incarnation, other: Incarnation): boolean {
  return one.broker === other.broker && one.incarnation === other.incarnation;
}
