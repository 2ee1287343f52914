import type { TopicDescription } from "@kaas/core";
import type { LogDirectory, Placement } from "./log-directories.js";

/** A topic and where its partitions lie. */
interface Placed extends Pick<TopicDescription, "partitionCount"> {
  readonly placement: Placement;
}

/**
 * Chooses a directory for each new partition: the one that has the fewest, as Kafka does; the first of them in the
 * order of configuration.
 */
export function placePartitions(
  main: LogDirectory,
  further: readonly LogDirectory[],
  topics: Iterable<Placed>,
  from: number,
  to: number,
): Placement {
  const counts = new Map<string, number>(further.map(({ name }) => [name, 0]));
  let inMain = 0;
  for (const { partitionCount, placement } of topics) {
    inMain += partitionCount - placement.size;
    for (const name of placement.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const chosen = new Map<number, string>();
  for (let partition = from; partition < to; partition++) {
    let [least, fewest] = [main.name, inMain];
    for (const { name } of further) {
      const count = counts.get(name) ?? 0;
      if (count < fewest) [least, fewest] = [name, count];
    }
    if (least === main.name) inMain++;
    else {
      counts.set(least, fewest + 1);
      chosen.set(partition, least);
    }
  }
  return chosen;
}
