import type { Log, LogConfig } from "@kaas/core";
import { Chance } from "../../packages/kaas-storage/src/testing/simulated/chance.js";
import { defaultLogConfig } from "../../packages/kaas-storage/src/testing/log-config.js";
import type { SimulatedProcess } from "../../packages/kaas-storage/src/testing/simulated/machine.js";
import { Scheduler } from "../../packages/kaas-storage/src/testing/simulated/scheduler.js";
import { History, Violation } from "./history.js";
import { JournalModel } from "./journal-model.js";
import { PartitionModel } from "./partition-model.js";
import { IdempotentProducer, PlainProducer } from "./producers.js";
import type { PartitionScenario, Scenario } from "./scenario.js";

/** All that one partition's clients know and will do, over the lives of all brokers. */
export interface PartitionClients {
  readonly number: number;
  readonly model: PartitionModel;
  readonly config: LogConfig;
  readonly deletesRecords: boolean;
  readonly idempotent: readonly IdempotentProducer[];
  readonly plain: PlainProducer;
}

/** What outlives processes and machines: time, history, and what clients have been told. */
export class World {
  readonly chance: Chance;
  readonly scheduler: Scheduler;
  readonly history: History;
  readonly scenario: Scenario;
  readonly partitions: readonly PartitionClients[];
  readonly journals: readonly JournalModel[];
  /** Until then all clients keep silent. */
  quietUntilMs = 0;
  /** Rejects as soon as an invariant does not hold. */
  readonly violated: Promise<never>;
  #fail: (error: unknown) => void = () => undefined;

  constructor(seed: number, draw: (chance: Chance) => Scenario) {
    this.chance = new Chance(seed);
    this.scheduler = new Scheduler(this.chance.fork());
    this.history = new History(this.scheduler);
    const scenario = draw(this.chance);
    this.scenario = scenario;
    this.partitions = scenario.partitions.map((one, number) => this.#clientsOf(one, number));
    this.journals = Array.from({ length: scenario.slots }, (_, slot) => new JournalModel(this.history, `slot-${slot}`));
    this.violated = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    this.violated.catch(() => undefined); // whoever runs the history is told
  }

  /** Runs something that nobody waits for. What it throws ends the history. */
  spawn(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.fail(error));
  }

  fail(error: unknown): void {
    const message =
      error instanceof Violation ? error.message : `unexpected: ${(error as Error)?.stack ?? String(error)}`;
    this.history.note("VIOLATED", message);
    this.#fail(error instanceof Violation ? error : new Violation(message));
  }

  /** What a process logs, while it lives. */
  logOf(process: SimulatedProcess): Log {
    const at = (level: string) => (fields: object, message: string) => {
      if (!process.isAlive) return;
      const cause = (fields as { err?: unknown }).err;
      this.history.note(
        process.name,
        `${level}: ${message}${cause === undefined ? "" : ` (${(cause as Error)?.message})`}`,
      );
    };
    return { debug: () => undefined, info: at("info"), warn: at("warn"), error: at("error") };
  }

  #clientsOf(one: PartitionScenario, number: number): PartitionClients {
    const { history, chance } = this;
    const isDurable = one.flushMessages === 1;
    const hasRetention = one.retentionBytes >= 0;
    const model = new PartitionModel(history, { name: `t-${number}`, isDurable, hasRetention });
    const { recordBytesMax } = this.scenario;
    const idempotentCount = isDurable ? chance.below(3) : 0;
    return {
      number,
      model,
      config: configOf(one),
      deletesRecords: one.deletesRecords,
      idempotent: Array.from(
        { length: idempotentCount },
        (_, index) => new IdempotentProducer(model, chance.fork(), this.scenario, number * 10 + index + 1),
      ),
      plain: new PlainProducer(model, chance.fork(), recordBytesMax, `p${number}`),
    };
  }
}

function configOf({ segmentBytes, flushMessages, retentionBytes }: PartitionScenario): LogConfig {
  return { ...defaultLogConfig, retentionMs: -1, fileDeleteDelayMs: 5, segmentBytes, flushMessages, retentionBytes };
}
