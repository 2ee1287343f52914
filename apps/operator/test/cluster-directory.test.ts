import { KaasError } from "@kaas/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OperatorHarness } from "./operator-harness.js";

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await OperatorHarness.create();
});
afterEach(() => harness.stop());

const CLUSTER_ID = "AAAAAAAAQACAAAAAAAAAAQ";

test("the cluster's files may lie on a volume of their own", async () => {
  await harness.fileSystem.makeDirectory("/cluster");
  const file = await harness.fileSystem.open("/cluster/cluster.json", "create");
  await file.writev([Buffer.from(`{"format":1,"clusterId":"${CLUSTER_ID}","slotCount":6}`)], 0);
  await file.close();
  await harness.start({ clusterDirectory: "/cluster" });
  await harness.createUser("alice", { authentication: { type: "scram-sha-512" } });
  expect(harness.cluster()?.status?.clusterId).toBe(CLUSTER_ID);
  expect(await harness.names("/cluster")).toEqual(["acls.json", "cluster.json", "credentials.json"]);
  expect(await harness.names("/data/__cluster")).toEqual([]);
});

test("a volume that the operator may not write is named, with what to do", async () => {
  harness.fileSystem.makeDirectory = () =>
    Promise.reject(Object.assign(new Error("EACCES: permission denied, mkdir '/cluster'"), { code: "EACCES" }));
  const failure: unknown = await harness.start({ clusterDirectory: "/cluster" }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(KaasError);
  expect(failure).toMatchObject({
    code: "KAAS_STORAGE_FAILED",
    message: expect.stringMatching(/^the directory \/cluster cannot be made: EACCES.*this user lacks the right/),
  });
});
