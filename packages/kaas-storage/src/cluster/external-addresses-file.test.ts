import { expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { TestRandom } from "../testing/test-clock.js";
import { ExternalAddressesFile } from "./external-addresses-file.js";

const broker = (host: string | null) => [{ name: "external", brokers: [{ nodeId: 0, host, port: 9094 }] }];

test("addresses are read as they were written, and counted up only when they change", async () => {
  const fileSystem = new MemoryFileSystem();
  await fileSystem.makeDirectory("/c");
  const file = new ExternalAddressesFile({ fileSystem, random: new TestRandom() }, "/c");
  expect(await file.read()).toBeUndefined();
  await file.write([]);
  expect(await file.read()).toBeUndefined();
  await file.write(broker("203.0.113.7"));
  await file.write(broker("203.0.113.7"));
  expect(await file.read()).toEqual({ generation: 1, listeners: broker("203.0.113.7") });
  await file.write(broker(null));
  expect(await file.read()).toEqual({ generation: 2, listeners: broker(null) });
  await file.write([]);
  expect(await file.read()).toEqual({ generation: 3, listeners: [] });
});

test("a file that is no such document is refused by its name", async () => {
  const fileSystem = new MemoryFileSystem();
  await fileSystem.makeDirectory("/c");
  const handle = await fileSystem.open("/c/external-addresses.json", "create");
  await handle.writev(
    [Buffer.from('{"format":1,"generation":1,"listeners":[{"name":"x","brokers":[{"nodeId":-1}]}]}')],
    0,
  );
  await handle.close();
  const file = new ExternalAddressesFile({ fileSystem, random: new TestRandom() }, "/c");
  await expect(file.read()).rejects.toThrow("/c/external-addresses.json is not usable");
});
