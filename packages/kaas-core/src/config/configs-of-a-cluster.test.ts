import { expect, test } from "vitest";
import { FakeClusterFiles } from "../../test/fakes/fake-cluster-files.js";
import { BrokerConfig } from "./broker-config.js";

test("what another broker of the cluster has set is found, told once, and not overwritten", async () => {
  const files = new FakeClusterFiles();
  const [one, other] = [1, 2].map((id) => new BrokerConfig({ "node.id": String(id) })) as [BrokerConfig, BrokerConfig];
  for (const config of [one, other]) await config.loadDynamic(files);
  let changes = 0;
  other.onChange(() => changes++);
  await one.setDynamic(undefined, { "log.retention.ms": "5" });
  expect(other.text("log.retention.ms")).not.toBe("5");
  await other.refreshDynamic();
  await other.refreshDynamic();
  expect([other.text("log.retention.ms"), changes]).toEqual(["5", 1]);
  await other.setDynamic(2, { "log.retention.ms": "6" });
  await one.refreshDynamic();
  expect([one.text("log.retention.ms"), other.text("log.retention.ms")]).toEqual(["5", "6"]);
  expect(one.dynamicTexts(2)).toEqual({ "log.retention.ms": "6" });
});

test("what brokers set at the same time is not lost, nor forgotten by who reads late", async () => {
  const files = new FakeClusterFiles();
  const [one, other] = [1, 2].map((id) => new BrokerConfig({ "node.id": String(id) })) as [BrokerConfig, BrokerConfig];
  for (const config of [one, other]) await config.loadDynamic(files);
  const set = [one.setDynamic(1, { "log.retention.ms": "5" }), other.setDynamic(2, { "log.retention.ms": "6" })];
  expect(await Promise.all(set)).toEqual([true, false]);
  await other.refreshDynamic();
  expect(await other.setDynamic(2, { "log.retention.ms": "6" })).toBe(true);
  const stale = await files.readDocument("broker-configs");
  expect(await other.setDynamic(2, { "log.retention.ms": "7" })).toBe(true);
  const readDocument = files.readDocument.bind(files);
  files.readDocument = () => Promise.resolve(stale);
  await other.refreshDynamic();
  expect(other.text("log.retention.ms")).toBe("7");
  files.readDocument = readDocument;
  await one.refreshDynamic();
  expect([one.dynamicTexts(1), one.dynamicTexts(2)]).toEqual([
    { "log.retention.ms": "5" },
    { "log.retention.ms": "7" },
  ]);
});
