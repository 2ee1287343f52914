import { KaasError } from "@kaas/core";
import { describe, expect, test } from "vitest";
import { MemoryFileSystem } from "./file-system/memory.js";
import { incarnationEndpoints } from "./leadership/incarnation-endpoints.js";
import { openVolume } from "./volume.js";

const shared = { directory: "/data", sharing: "shared", brokerName: "kaas-0" } as const;

describe("a directory for what concerns the cluster", () => {
  test("lies where it is told to, and the data directory has none then", async () => {
    const fileSystem = new MemoryFileSystem();
    const volume = await openVolume({ ...shared, fileSystem, clusterDirectory: "/elsewhere/cluster/" });
    await volume.close();
    expect((await fileSystem.list("/elsewhere/cluster")).map(({ name }) => name)).toContain("cluster.json");
    expect((await fileSystem.list("/data")).map(({ name }) => name)).not.toContain("__cluster");
  });

  test("is for brokers that share a volume", async () => {
    const opened = openVolume({ directory: "/data", clusterDirectory: "/c", fileSystem: new MemoryFileSystem() });
    await expect(opened).rejects.toThrow(KaasError);
    await expect(opened).rejects.toThrow("clusterDirectory");
  });
});

describe("a process that uses a volume", () => {
  test("says where it is reached for as long as it does, and that its fuse is live", async () => {
    const fileSystem = new MemoryFileSystem();
    const brokerEndpoints = ["PEERS://kaas-0:9094"];
    const volume = await openVolume({ ...shared, fileSystem, incarnation: "A".repeat(22), brokerEndpoints });
    const self = { broker: "kaas-0", incarnation: "A".repeat(22) };
    expect(await incarnationEndpoints(fileSystem, "/data/__cluster", self)).toEqual(brokerEndpoints);
    const before = volume.fuseAgeMs;
    await volume.confirmFuse();
    expect(volume.fuseAgeMs).toBeLessThanOrEqual(before + 1_000);
    await volume.close();
    expect(await incarnationEndpoints(fileSystem, "/data/__cluster", self)).toBeUndefined();
    expect(await incarnationEndpoints(fileSystem, "/nowhere", self)).toBeUndefined();
  });
});
