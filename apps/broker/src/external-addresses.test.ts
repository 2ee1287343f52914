import type { Clock } from "@kaas/core";
import type { ExternalListener } from "@kaas/storage";
import { expect, test } from "vitest";
import { ExternalAddresses } from "./external-addresses.js";

const own = [
  { listenerName: "IN", host: "kaas-1", port: 9092 },
  { listenerName: "OUT", host: "kaas-1", port: 9094 },
];
const out = (host: string | null, port = 30_000): ExternalListener => ({
  name: "out",
  brokers: [
    { nodeId: 0, host: "other", port: 1 },
    { nodeId: 1, host, port },
  ],
});

function followed(nodeAddress?: string) {
  let content: { generation: number; listeners: readonly ExternalListener[] } | Error | undefined;
  let tick: () => void = () => {};
  const warnings: string[] = [];
  const schedule = (_: number, callback: () => void) => {
    tick = callback;
    return { cancel() {} };
  };
  let changes = 0;
  const addresses = new ExternalAddresses({
    file: {
      read: async () => {
        if (content instanceof Error) throw content;
        return content;
      },
    },
    nodeId: 1,
    nodeAddress,
    clock: { schedule } as unknown as Clock,
    log: { debug() {}, info() {}, error() {}, warn: (_, message) => void warnings.push(message) },
    changed: () => void changes++,
  });
  return {
    addresses,
    warnings,
    changes: () => changes,
    write: async (next: typeof content) => {
      content = next;
      tick();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("what the operator has found out replaces what the broker knows, listener by listener", async () => {
  const { addresses, write, changes } = followed();
  await addresses.start();
  expect(addresses.advertised(own)).toEqual(own);
  await write({ generation: 1, listeners: [out("lb.example")] });
  expect(addresses.advertised(own)).toEqual([own[0], { listenerName: "OUT", host: "lb.example", port: 30_000 }]);
  await write({ generation: 1, listeners: [out("lb.example")] });
  expect(changes()).toBe(1);
  await write({ generation: 2, listeners: [] });
  expect(addresses.advertised(own)).toEqual(own);
});

test("a port of the node is told with the node's address", async () => {
  const { addresses, write, warnings } = followed("192.0.2.7");
  await addresses.start();
  await write({ generation: 1, listeners: [out(null)] });
  expect(addresses.advertised(own)[1]).toEqual({ listenerName: "OUT", host: "192.0.2.7", port: 30_000 });
  expect(warnings).toEqual([]);
});

test("without the node's address it is warned of, and the listener stays as it is", async () => {
  const { addresses, write, warnings } = followed();
  await addresses.start();
  await write({ generation: 1, listeners: [out(null)] });
  expect(addresses.advertised(own)).toEqual(own);
  expect(warnings).toEqual([expect.stringContaining("MY_NODE_IP")]);
});

test("what cannot be read, or is older, changes nothing, and is said once", async () => {
  const { addresses, write, warnings } = followed();
  await addresses.start();
  await write({ generation: 5, listeners: [out("new.example")] });
  await write(new Error("broken"));
  await write(new Error("broken"));
  await write({ generation: 4, listeners: [out("old.example")] });
  expect(addresses.advertised(own)[1]?.host).toBe("new.example");
  expect(warnings).toHaveLength(1);
  addresses.stop();
});
