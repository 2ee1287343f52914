import { KaasError } from "@kaas/core";
import { describe, expect, test } from "vitest";
import { MemoryFileSystem } from "./file-system/memory.js";
import { hasSuccessor, incarnationEndpoints } from "./leadership/known-processes.js";
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

  test("has a successor once another of its name has started, and not because it ended or others did", async () => {
    const fileSystem = new MemoryFileSystem();
    const open = (brokerName: string, letter: string) =>
      openVolume({ ...shared, fileSystem, brokerName, incarnation: letter.repeat(22) });
    const followed = () =>
      hasSuccessor(fileSystem, "/data/__cluster", { broker: "kaas-0", incarnation: "A".repeat(22) });
    expect(await followed()).toBe(false);
    const volume = await open("kaas-0", "A");
    const neighbour = await open("kaas-1", "B");
    expect(await followed()).toBe(false);
    await volume.close();
    expect(await followed()).toBe(false);
    const next = await open("kaas-0", "C");
    expect(await followed()).toBe(true);
    await next.close();
    await neighbour.close();
  });
});
