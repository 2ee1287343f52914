import { expect, test } from "vitest";
import { QueueMemory } from "./queue-memory.js";

test("of n logs that hang each gets one in n + 1 parts, and one part is left", () => {
  for (const logs of [1, 2, 3, 9]) {
    const memory = new QueueMemory(1_000);
    const held = new Array<number>(logs).fill(0);
    for (let turn = 0; turn < 2_000; turn++) {
      const log = turn % logs;
      if (!memory.hasRoom(held[log] as number, 1)) continue;
      memory.change(1);
      held[log] = (held[log] as number) + 1;
    }
    const part = 1_000 / (logs + 1);
    for (const bytes of held) expect(Math.abs(bytes - part)).toBeLessThanOrEqual(logs);
    expect(memory.hasRoom(0, Math.floor(part) - logs)).toBe(true);
    memory.change(-(held[0] as number));
    expect(memory.hasRoom(0, Math.floor(2 * part) - logs)).toBe(true);
  }
});
