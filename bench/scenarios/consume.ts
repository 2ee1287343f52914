import { dropFromCache } from "../cold-cache.js";
import * as tools from "../kafka-tools.js";
import { type Contender, createTopic, type Figures, measured, type Scenario, scaled } from "../scenario.js";
import { cpu, rate, withoutFsync } from "./produce.js";

/** Consumers of one topic, which is filled in the first round. Consumer groups have new names each time. */
function consuming(
  name: string,
  title: string,
  records: number,
  size: number,
  before: (contender: Contender) => Promise<void>,
): Scenario {
  const fill = async (contender: Contender, count: number): Promise<void> => {
    await createTopic(contender, "consume", 1, withoutFsync(contender.name));
    await tools.produce(contender.bootstrap, "consume", { records: count - 1000, warmup: 1000, size });
  };
  return {
    name,
    title,
    measures: [rate(1), cpu(1.5)],
    async run(contender) {
      const count = scaled(records, contender.scale) + 1000;
      if (contender.round === 0) await fill(contender, count);
      await before(contender);
      return measured(contender, count, () => tools.consume(contender.bootstrap, "consume", count));
    },
  };
}

/** A consumer that follows a producer: what it reads has only just been written. */
async function follow(contender: Contender): Promise<Figures> {
  const topic = `tail-${contender.round}`;
  const records = scaled(400_000, contender.scale);
  await createTopic(contender, topic, 1, withoutFsync(contender.name));
  return measured(contender, records, async () => {
    const produced = tools.produce(contender.bootstrap, topic, { records: records - 1000, warmup: 1000, size: 1024 });
    const [consumed] = await Promise.all([tools.consume(contender.bootstrap, topic, records), produced]);
    return consumed;
  });
}

const nothing = async (): Promise<void> => undefined;

export const consumeScenarios: readonly Scenario[] = [
  {
    name: "tail",
    title: "consume 1 KiB at the tail, beside a producer",
    measures: [rate(1), cpu(1.5)],
    run: follow,
  },
  consuming("consume", "consume 1 KiB from the page cache", 600_000, 1024, nothing),
  consuming("consume-100", "consume 100 B from the page cache", 3_000_000, 100, nothing),
  consuming("cold", "consume 1 KiB from the disk", 600_000, 1024, (contender) =>
    dropFromCache(contender.process.directory),
  ),
];
