import { expect, test } from "vitest";
import type { TopicConfig } from "../config/topic-config.js";
import { Topic, TopicTable } from "./topic-table.js";

const topic = (name: string, id: string): Topic => new Topic(name, id, {}, {} as TopicConfig);

test("names that differ in '.' and '_' only collide, until the topic is gone", () => {
  const table = new TopicTable();
  const dotted = topic("a.b_c", "1");
  table.add(dotted);
  expect(table.colliding("a_b.c")).toBe(dotted);
  expect(table.colliding("a-b-c")).toBeUndefined();
  table.remove(dotted);
  expect(table.colliding("a_b.c")).toBeUndefined();
});

test("a topic that was created anew stays when the earlier one of its name is removed", () => {
  const table = new TopicTable();
  const [earlier, later] = [topic("a", "1"), topic("a", "2")];
  table.add(earlier);
  table.add(later);
  table.remove(earlier);
  expect(table.byName("a")).toBe(later);
  expect(table.colliding("a")).toBe(later);
  expect(table.byId("1")).toBeUndefined();
});
