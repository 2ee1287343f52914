import type { Assignment } from "@kaas/core";
import { Violation } from "../history.js";
import type { World } from "../world.js";
import type { ApiServer } from "./api-server.js";
import type { GovernedBroker } from "./governed-broker.js";
import type { GovernedScenario } from "./governed-scenario.js";
import { AFTERMATH_MS, type Promises } from "./promises.js";

/** Without a controller a broker that was started again has everything back so soon. */
const ALONE_MS = 15_000;
/**
 * When the API server is back, the Lease has a holder so soon whom all have heard: attempts are 3 s apart, watches 5 s, and
 * what gets lost on the way comes 8 s later; a new controller waits for 3 s.
 */
const AGREED_MS = 30_000;

export interface OutagesOptions {
  readonly world: World;
  readonly scenario: GovernedScenario;
  readonly api: ApiServer;
  readonly promises: Promises;
  readonly brokers: () => readonly GovernedBroker[];
  /** What all have agreed on, where everything is led so. */
  readonly agreed: () => Assignment | undefined;
  /** Rejects unless it comes true in time. */
  readonly within: (what: string, isSo: () => Promise<boolean>, patienceMs: number) => Promise<void>;
}

/** The API server goes and comes back, some times; while it is away, and when it is not, brokers fail. */
export class Outages {
  readonly #options: OutagesOptions;
  #faultMs = Number.NEGATIVE_INFINITY;

  constructor(options: OutagesOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { world, scenario } = this.#options;
    const { chance, scheduler } = world;
    for (let round = 0; round < scenario.steps; round++) {
      await scheduler.sleep(chance.between(0, scenario.stepMs));
      if (chance.happens(0.3)) this.#fault(1_000);
      if (chance.happens(0.5)) await scheduler.sleep(chance.between(0, 5_000));
      await this.#outage();
      if (chance.happens(scenario.tampering)) void this.#options.api.tamper(chance.pick(["removed", "taken"] as const));
    }
  }

  async #outage(): Promise<void> {
    const { world, api, agreed } = this.#options;
    const { chance, scheduler, history } = world;
    const before = scheduler.now - this.#faultMs > AFTERMATH_MS ? agreed() : undefined;
    const ms = chance.pick([700, 3_000, 10_000, 30_000, 90_000]) * chance.between(0.5, 1);
    const endMs = scheduler.now + ms;
    if (chance.happens(0.6)) {
      history.note("adversary", `ends the API server for ${ms.toFixed(0)} ms`);
      api.end(ms);
    } else {
      history.note("adversary", `cuts the API server off for ${ms.toFixed(0)} ms`);
      api.cutOff(ms);
    }
    const faults = chance.below(4);
    for (let fault = 0; fault < faults; fault++) {
      await scheduler.sleep(chance.between(0, (endMs - scheduler.now) / 2));
      this.#fault(endMs - scheduler.now);
    }
    if (endMs - scheduler.now > ALONE_MS + 1_000) await this.#servesAlone();
    await scheduler.sleep(endMs - scheduler.now);
    if (faults === 0 && before !== undefined) await this.#movesNothing(before);
  }

  /** Nobody has failed but the API server. */
  async #movesNothing(before: Assignment): Promise<void> {
    const { agreed, within } = this.#options;
    await within("all agree again, after nothing but an outage", async () => agreed() !== undefined, AGREED_MS);
    const after = agreed();
    if (after === undefined || leadersOf(before) === leadersOf(after)) return;
    throw new Violation(`an outage alone has moved leaders: ${leadersOf(before)} → ${leadersOf(after)}`);
  }

  /** Whatever was started again leads what it is to lead, though nobody decides anything. */
  async #servesAlone(): Promise<void> {
    const { brokers, within } = this.#options;
    await within(
      "everything that is assigned is led without a controller",
      async () => brokers().every(({ running, isHeldUp }) => isHeldUp || running?.isSettled === true),
      ALONE_MS,
    );
  }

  /** Something happens to one broker; to the controller, or the one that was it, as often as not. */
  #fault(msMax: number): void {
    const { world, brokers, promises } = this.#options;
    const { chance, history, scheduler } = world;
    this.#faultMs = scheduler.now;
    const all = brokers();
    const controller = all.find(({ running }) => running?.isController === true);
    const broker = controller !== undefined && chance.happens(0.5) ? controller : chance.pick(all);
    const { name } = broker.machine;
    const ms = Math.min(chance.pick([300, 2_000, 5_000]) * chance.between(0.5, 1), Math.max(msMax, 300));
    const faults: readonly [name: string, act: () => void][] = [
      ["is killed", () => broker.kill()],
      ["is killed", () => broker.kill()],
      ["ends", () => broker.end()],
      ["loses power", () => broker.crash()],
      [`stands still (${ms.toFixed(0)} ms)`, () => broker.machine.pause(ms)],
      [`is stopped (${ms.toFixed(0)} ms)`, () => broker.process.block(ms)],
    ];
    const [what, act] = chance.pick(faults);
    history.note(broker.pod.name, what);
    if (what.startsWith("stands") || what.startsWith("is stopped")) promises.troubled(name, ms);
    act();
  }
}

function leadersOf({ topics, slots }: Assignment): string {
  return JSON.stringify([topics.map(({ leaders }) => leaders), slots]);
}
