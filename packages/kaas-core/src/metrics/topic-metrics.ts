/** Index of each number in {@link TopicMetrics.counters}. All of them only grow. */
export const TopicCounter = {
  MESSAGES_IN: 0,
  BYTES_IN: 1,
  BYTES_OUT: 2,
  /** Partitions of produce requests, as Apache Kafka counts them. */
  PRODUCE_REQUESTS: 3,
  PRODUCE_REQUESTS_FAILED: 4,
  FETCH_REQUESTS: 5,
  FETCH_REQUESTS_FAILED: 6,
} as const;

/** Index of one counter. */
export type TopicCounter = (typeof TopicCounter)[keyof typeof TopicCounter];

/** What is counted for one topic. Plain numbers, cheap enough for the hot path. */
export class TopicMetrics {
  readonly counters: Float64Array = new Float64Array(Object.keys(TopicCounter).length);

  add(counter: TopicCounter, amount: number): void {
    this.counters[counter] = (this.counters[counter] as number) + amount;
  }

  /** A batch of so many records was appended. */
  produced(messages: number, bytes: number): void {
    this.add(TopicCounter.PRODUCE_REQUESTS, 1);
    this.add(TopicCounter.MESSAGES_IN, messages);
    this.add(TopicCounter.BYTES_IN, bytes);
  }

  produceFailed(): void {
    this.add(TopicCounter.PRODUCE_REQUESTS, 1);
    this.add(TopicCounter.PRODUCE_REQUESTS_FAILED, 1);
  }

  fetched(bytes: number): void {
    this.add(TopicCounter.FETCH_REQUESTS, 1);
    this.add(TopicCounter.BYTES_OUT, bytes);
  }

  fetchFailed(): void {
    this.add(TopicCounter.FETCH_REQUESTS, 1);
    this.add(TopicCounter.FETCH_REQUESTS_FAILED, 1);
  }
}
