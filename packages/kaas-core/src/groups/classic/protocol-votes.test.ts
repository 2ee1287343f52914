import { expect, test } from "vitest";
import { ProtocolVotes } from "./protocol-votes.js";

function members(...preferences: string[]) {
  const votes = new ProtocolVotes();
  const list = preferences.map((names) => ({
    protocols: [...names].map((name) => ({ name, metadata: Buffer.alloc(0) })),
  }));
  for (const { protocols } of list) votes.add(protocols);
  return { votes, list };
}

function select(...preferences: string[]): string | null {
  const { votes, list } = members(...preferences);
  return votes.select(list, list.length);
}

test("the protocol that most members prefer wins", () => {
  expect(select("ab", "ba", "ba")).toBe("b");
});

test("only what all speak is eligible", () => {
  expect(select("abc", "bc", "cb")).toBe("b");
  expect(select("ab", "b", "bc")).toBe("b");
});

test("the earliest member decides a tie", () => {
  expect(select("ab", "ba")).toBe("a");
  expect(select("ba", "ab")).toBe("b");
});

test("without a common protocol there is none", () => {
  expect(select("a", "b")).toBe(null);
});

test("votes are taken back", () => {
  const { votes, list } = members("a", "ab");
  votes.remove(list[0]?.protocols ?? []);
  const rest = list.slice(1);
  expect(votes.anySpokenByAll([{ name: "b", metadata: Buffer.alloc(0) }], 1)).toBe(true);
  expect(votes.select(rest, 1)).toBe("a");
});
