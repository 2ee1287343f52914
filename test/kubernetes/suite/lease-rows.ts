import { type KubernetesApi, LeaseElector, type LeaseTiming } from "@kaas/k8s";
import { systemClock } from "@kaas/storage";
import { until } from "../../lib/until.js";
import { grantChartRights } from "../chart-rights.js";
import { expect, NAMESPACE, QUICK, type Stage, SURROUNDINGS } from "./stage.js";

/** Nobody loses it because the machine does much else, or waits until it has run out and calls that a hand-over. */
const LONG: LeaseTiming = { durationMs: 60_000, renewDeadlineMs: 40_000, retryMs: 700 };
/** As above, and yet it runs out while somebody waits for that. */
const PATIENT: LeaseTiming = { durationMs: 8_000, renewDeadlineMs: 6_000, retryMs: 700 };

interface Candidate {
  readonly elector: LeaseElector;
  readonly told: { readonly what: string; readonly at: number }[];
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

const when = ({ told }: Candidate, what: string): number | undefined => told.find((entry) => entry.what === what)?.at;

/** The holder's network swallows everything: it gives up before the other one takes over. */
export async function holderCutOff(stage: Stage): Promise<string> {
  const link = await stage.link();
  const one = candidate(stage, await stage.connect({ link }), "cut-off", "kaas-0/a", PATIENT);
  await until("the first holds it", () => one.elector.epoch === 1);
  const two = candidate(stage, await stage.connect(), "cut-off", "kaas-1/b", PATIENT);
  await until("the second knows who holds it", () => two.elector.holder === "kaas-0/a");
  const cutAt = systemClock.monotonic();
  link.swallow();
  await until("the second holds it", () => two.elector.epoch === 2);
  const lostAt = when(one, "lost") ?? Number.POSITIVE_INFINITY;
  const takenAt = when(two, "acquired 2") ?? 0;
  expect(lostAt < takenAt, "it was held twice");
  link.reset();
  link.open();
  await until("the first learns who holds it", () => one.elector.holder === "kaas-1/b");
  expect(one.elector.epoch === undefined, "the first holds it again");
  return `given up after ${Math.round(lostAt - cutAt)} ms, taken over after ${Math.round(takenAt - cutAt)} ms`;
}

/** Who stops gives it up, and the next one has it at once: with the rights of the chart, which are for one Lease. */
export async function handedOver(stage: Stage): Promise<string> {
  await grantChartRights(stage.plane, NAMESPACE, "broker");
  const user = "broker";
  const one = candidate(stage, await stage.connect({ user }), "kaas-controller", "kaas-0/a", LONG);
  await until("the first holds it", () => one.elector.epoch === 1);
  const two = candidate(stage, await stage.connect({ user }), "kaas-controller", "kaas-1/b", LONG);
  await until("the second knows who holds it", () => two.elector.holder === "kaas-0/a");
  await one.elector.stop();
  const stoppedAt = systemClock.monotonic();
  await until("the second holds it", () => two.elector.epoch === 2);
  const tookMs = (when(two, "acquired 2") ?? 0) - stoppedAt;
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
    await until(`somebody holds it in round ${round}`, () => all.some(({ elector }) => elector.epoch !== undefined));
    const holder = all.find(({ elector }) => elector.epoch !== undefined);
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
  await until("it is held", () => one.elector.epoch === 1);
  await stage.plane.killComponent("kube-apiserver");
  await until("it is given up", () => when(one, "lost") !== undefined);
  await stage.plane.startComponent("kube-apiserver");
  await until("it is held again", () => (one.elector.epoch ?? 0) > 1);
  return `lost, and held again in epoch ${one.elector.epoch}`;
}
