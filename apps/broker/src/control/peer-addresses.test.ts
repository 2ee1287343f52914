import { expect, test } from "vitest";
import { PeerAddresses } from "./peer-addresses.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const processOf = (name: string, incarnation = `${name}-first`) => ({ name, incarnation });

/** Addresses, of which what was asked for is answered when it is told to be. */
function start() {
  const asked: string[] = [];
  const pending: ((endpoints: readonly string[] | undefined) => void)[] = [];
  const addresses = new PeerAddresses(({ incarnation }) => {
    asked.push(incarnation);
    return new Promise((resolve) => pending.push(resolve));
  });
  const answer = async (endpoints: readonly string[] | undefined): Promise<void> => {
    pending.shift()?.(endpoints);
    await turn();
  };
  return { addresses, asked, answer };
}

test("addresses are learnt ahead of time, one after the other, and known without the volume", async () => {
  const { addresses, asked, answer } = start();
  const learnt = addresses.learn([processOf("a"), processOf("b")]);
  await turn();
  expect(asked).toEqual(["a-first"]);
  // The volume hangs; meanwhile there are others.
  await addresses.learn([processOf("b"), processOf("c")]);
  await addresses.learn([]);
  await addresses.learn([processOf("c")]);
  expect(asked).toEqual(["a-first"]);
  await answer(["PLAINTEXT://a:1", "PEERS://a:2"]);
  await answer(["PEERS://c:2"]);
  await learnt;
  expect(asked).toEqual(["a-first", "c-first"]);
  expect(await addresses.of({ broker: "c", incarnation: "c-first" })).toBe("c:2");
  expect(asked).toHaveLength(2);
});

test("of a process that is gone nothing is known, nor of one that says nothing", async () => {
  const { addresses, answer } = start();
  const learnt = addresses.learn([processOf("a")]);
  await answer(["PEERS://a:2"]);
  await learnt;
  await addresses.learn([]);
  const asked = addresses.of({ broker: "a", incarnation: "a-first" });
  await answer(undefined);
  expect(await asked).toBeUndefined();
  const silent = addresses.of({ broker: "b", incarnation: "b-first" });
  await answer(["PLAINTEXT://b:1"]);
  expect(await silent).toBeUndefined();
});
