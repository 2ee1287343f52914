import { expect, test } from "vitest";
import { SerialQueue } from "./serial-queue.js";

test("steps run one after another, also after one that failed", async () => {
  const queue = new SerialQueue();
  const seen: string[] = [];
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const first = queue.run(async () => {
    await gate;
    seen.push("first");
    throw new Error("first failed");
  });
  const second = queue.run(async () => {
    seen.push("second");
    return 2;
  });
  await Promise.resolve();
  expect(seen).toEqual([]);
  release();
  await expect(first).rejects.toThrow("first failed");
  expect(await second).toBe(2);
  expect(seen).toEqual(["first", "second"]);
});
