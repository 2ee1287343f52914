import { type KubernetesApi, LeaseElector, type LeaseTiming } from "@kaas/k8s";
import { systemClock } from "@kaas/storage";
import { until } from "../../lib/until.js";
import { grantChartRights } from "../chart-rights.js";
import { expect, NAMESPACE, QUICK, type Stage, SURROUNDINGS } from "./stage.js";

/** Nobody loses it because the machine does much else, or waits until it has run out and calls that a hand-over. */
const LONG: LeaseTiming = { durationMs: 60_000, renewDeadlineMs: 40_000, retryMs: 700 };
/** As above, and yet it runs out while somebody waits for that. */
const PATIENT: LeaseTiming = { durationMs: 8_000, renewDeadlineMs: 6_000, retryMs: 700 };

interface Told {
  readonly what: string;
  readonly at: number;
}

interface Candidate {
  readonly elector: LeaseElector;
  readonly told: Told[];
}

function candidate(stage: Stage, api: KubernetesApi, name: string, identity: string, timing?: LeaseTiming): Candidate {
  const told: Candidate["told"] = [];
  const tell = (what: string): void => void told.push({ what, at: systemClock.monotonic() });
  const elector = new LeaseElector({
    api,
    namespace: NAMESPACE,
    name,
    identity,
    listener: {
      acquired: (epoch) => tell(`acquired ${epoch}`),
      lost: () => tell("lost"),
      holderChanged: (holder) => tell(`holder ${holder}`),
    },
    watchTiming: QUICK,
    ...(timing === undefined ? {} : { timing }),
    ...SURROUNDINGS,
  });
  elector.start();
  stage.atEnd(() => elector.stop());
  return { elector, told };
}

/** What was told of this kind behind something else, if that was told. */
function behind({ told }: Candidate, first: string, kind: RegExp): Told | undefined {
  const from = told.findIndex(({ what }) => what === first);
  return from === -1 ? undefined : told.slice(from + 1).find(({ what }) => kind.test(what));
}

/** Waits until it is held. Which epoch that is depends on how many answers came too late to be of use. */
async function held(what: string, { elector }: Candidate, above = 0): Promise<number> {
  let epoch = 0;
  await until(what, () => {
    epoch = elector.epoch ?? 0;
    return epoch > above;
  });
  return epoch;
}

/** The holder's network swallows everything: it gives up before the other one takes over. */
export async function holderCutOff(stage: Stage): Promise<string> {
  const link = await stage.link();
  const one = candidate(stage, await stage.connect({ link }), "cut-off", "kaas-0/a", PATIENT);
  await held("the first holds it", one);
  const two = candidate(stage, await stage.connect(), "cut-off", "kaas-1/b", PATIENT);
  await until("the second knows who holds it", () => two.elector.holder === "kaas-0/a");
  const epoch = await held("the first still does", one);
  const cutAt = systemClock.monotonic();
  link.swallow();
  const next = await held("the second holds it", two, epoch);
  const lostAt = behind(one, `acquired ${epoch}`, /lost/)?.at ?? Number.POSITIVE_INFINITY;
  const takenAt = two.told.find(({ what }) => what === `acquired ${next}`)?.at ?? 0;
  expect(lostAt < takenAt, "it was held twice");
  link.reset();
  link.open();
  await until("the first learns who holds it", () => one.elector.holder === "kaas-1/b");
  // Unless the second was held up for so long that it had to let go.
  const again = behind(one, `acquired ${epoch}`, /acquired/)?.at ?? Number.POSITIVE_INFINITY;
  const letGo = behind(two, `acquired ${next}`, /lost/)?.at ?? again;
  expect(one.elector.epoch === undefined || letGo < again, "the first holds it again");
  return `given up after ${Math.round(lostAt - cutAt)} ms, taken over after ${Math.round(takenAt - cutAt)} ms`;
}

/** Who stops gives it up, and the next one has it at once: with the rights of the chart, which are for one Lease. */
export async function handedOver(stage: Stage): Promise<string> {
  await grantChartRights(stage.plane, NAMESPACE, "broker");
  const user = "broker";
  const one = candidate(stage, await stage.connect({ user }), "kaas-controller", "kaas-0/a", LONG);
  const epoch = await held("the first holds it", one);
  const two = candidate(stage, await stage.connect({ user }), "kaas-controller", "kaas-1/b", LONG);
  await until("the second knows who holds it", () => two.elector.holder === "kaas-0/a");
  await one.elector.stop();
  const stoppedAt = systemClock.monotonic();
  const next = await held("the second holds it", two, epoch);
  const tookMs = (two.told.find(({ what }) => what === `acquired ${next}`)?.at ?? 0) - stoppedAt;
  expect(tookMs < LONG.durationMs / 2, `it took ${tookMs} ms`);
  return `taken ${Math.round(Math.max(0, tookMs))} ms after it was given up`;
}

/** Ten want it at once; nobody ever holds it in an epoch that another one had. */
export async function manyCandidates(stage: Stage): Promise<string> {
  const all: Candidate[] = [];
  for (let number = 0; number < 10; number++) {
    all.push(candidate(stage, await stage.connect(), "contended", `kaas-${number}/x`));
  }
  for (let round = 1; round <= 5; round++) {
    let holder: Candidate | undefined;
    await until(`somebody holds it in round ${round}`, () => {
      holder = all.find(({ elector }) => elector.epoch !== undefined);
      return holder !== undefined;
    });
    await holder?.elector.stop();
    all.splice(0, all.length, ...all.filter((other) => other !== holder));
    const epochs = all.filter(({ elector }) => elector.epoch !== undefined);
    expect(epochs.length <= 1, `${epochs.length} hold it`);
  }
  return "one at a time, five times over";
}

/** The API server dies and comes back: lost in time, taken again in a higher epoch. */
export async function serverAway(stage: Stage): Promise<string> {
  const one = candidate(stage, await stage.connect(), "server-away", "kaas-0/a");
  await held("it is held", one);
  await stage.plane.killComponent("kube-apiserver");
  const last = (kind: RegExp): string | undefined => one.told.findLast(({ what }) => kind.test(what))?.what;
  await until("it is given up", () => last(/acquired|lost/) === "lost");
  const epoch = Number(last(/acquired/)?.split(" ")[1]);
  await stage.plane.startComponent("kube-apiserver");
  return `lost, and held again in epoch ${await held("it is held again", one, epoch)}`;
}
