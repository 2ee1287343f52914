import { describe, expect, test } from "vitest";
import { Exposition } from "./exposition.js";
import { Histogram } from "./histogram.js";
import { TopicCounter, TopicMetrics } from "./topic-metrics.js";

describe("a histogram", () => {
  test("counts a value in the first range whose bound it does not exceed", () => {
    const histogram = new Histogram([1, 10]);
    for (const value of [0, 1, 1.001, 10, 11]) histogram.record(value);
    expect([...histogram.counts]).toEqual([2, 2, 1]);
    expect(histogram.count).toBe(5);
    expect(histogram.sum).toBeCloseTo(23.001);
  });
});

describe("the exposition", () => {
  test("tells a histogram of milliseconds in seconds, each bucket with all below it", () => {
    const histogram = new Histogram([0.1, 10]);
    for (const value of [0.05, 5, 5, 100]) histogram.record(value);
    const text = new Exposition().family("x_seconds", "histogram", "How long.").seconds(histogram, { api: "A" }).text();
    expect(text.split("\n")).toEqual([
      "# HELP x_seconds How long.",
      "# TYPE x_seconds histogram",
      'x_seconds_bucket{api="A",le="0.0001"} 1',
      'x_seconds_bucket{api="A",le="0.01"} 3',
      'x_seconds_bucket{api="A",le="+Inf"} 4',
      'x_seconds_sum{api="A"} 0.11005',
      'x_seconds_count{api="A"} 4',
      "",
    ]);
  });

  test("escapes what labels may not hold, and names what is no number", () => {
    const text = new Exposition()
      .family("x", "gauge", "X.")
      .sample(Number.NaN, { a: 'b"c\\d\ne' })
      .sample(Number.POSITIVE_INFINITY)
      .sample(Number.NEGATIVE_INFINITY)
      .text();
    expect(text).toContain('x{a="b\\"c\\\\d\\ne"} NaN\nx +Inf\nx -Inf\n');
  });
});

test("a topic counts what it was asked for, and what of it failed", () => {
  const metrics = new TopicMetrics();
  metrics.produced(3, 100);
  metrics.produceFailed();
  metrics.fetched(50);
  metrics.fetchFailed();
  const { counters } = metrics;
  expect(counters[TopicCounter.PRODUCE_REQUESTS]).toBe(2);
  expect(counters[TopicCounter.PRODUCE_REQUESTS_FAILED]).toBe(1);
  expect(counters[TopicCounter.MESSAGES_IN]).toBe(3);
  expect(counters[TopicCounter.BYTES_IN]).toBe(100);
  expect(counters[TopicCounter.FETCH_REQUESTS]).toBe(2);
  expect(counters[TopicCounter.FETCH_REQUESTS_FAILED]).toBe(1);
  expect(counters[TopicCounter.BYTES_OUT]).toBe(50);
});
