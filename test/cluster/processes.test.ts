import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runKaasctl } from "../../apps/kaasctl/test/spawn-kaasctl.js";
import { Cluster, until } from "./cluster.js";
import { FakeApiServer } from "./fake-api-server.js";
import { apiServerAway, drain, election, PARTITIONS, takeover, TOPIC } from "./rows.js";

/** How long anything may take on a machine that does much else. What it takes on a quiet one is for the suite to say. */
const PATIENCE_MS = 300_000;

/** The built command, three times, as pods would run it; only the API server is one in memory. */
describe("three brokers in processes of their own", () => {
  const server = new FakeApiServer();
  let cluster: Cluster;

  beforeAll(async () => {
    await server.start();
    cluster = new Cluster({ kubeconfig: { server: server.url }, brokers: 3, slots: 6 });
    await cluster.makeTopics({ [TOPIC]: PARTITIONS.length });
    await cluster.start();
    await cluster.balanced();
  }, PATIENCE_MS);

  afterAll(async () => {
    await cluster.close();
    await server.kill();
  }, PATIENCE_MS);

  test("one of them is the controller, and all lead", { timeout: PATIENCE_MS }, async () => {
    expect(await election(cluster)).toContain("is the controller");
  });

  test("one that is killed is taken over from, the controller too", { timeout: PATIENCE_MS }, async () => {
    expect(await takeover(cluster, 2, PATIENCE_MS)).toContain("of 2");
  });

  test("one that is asked to stop hands over: clients see nothing", { timeout: PATIENCE_MS }, async () => {
    expect(await drain(cluster)).toContain("0 errors, 0 lost");
  });

  test("kaasctl drains one, which goes on running", { timeout: PATIENCE_MS }, async () => {
    const drainArgs = ["drain", "kaas-1", "--data-dir", cluster.dataDirectory];
    const drained = await runKaasctl([...drainArgs, "--wait", "--timeout", "240", "-o", "json"]);
    expect(drained.code).toBe(0);
    expect(JSON.parse(drained.stdout)).toMatchObject({ broker: "kaas-1", claims: 0, isDrained: true });
    // What a broker tells of itself may be a moment old.
    await until(async () => (await cluster.brokers[1]?.health())?.leadership.led === 0, PATIENCE_MS);
    expect(await runKaasctl([...drainArgs, "--undo"])).toMatchObject({ code: 0, stdout: "kaas-1 may lead again\n" });
    await cluster.balanced();
  });

  test("an API server that is away is nothing to clients", { timeout: PATIENCE_MS }, async () => {
    const comeBack = (): Promise<void> => server.start();
    expect(await apiServerAway(cluster, { kill: () => server.kill(), comeBack }, 4)).toContain("0 errors");
  });
});
