import { expect, test } from "vitest";
import { ConnectionLimits, parseConnectionOverrides, plainAddress } from "./connection-limits.js";
import type { ServerLimits } from "./server-limits.js";

const limits = (maxConnections: number, maxConnectionsPerIp: number): ServerLimits =>
  ({ maxConnections, maxConnectionsPerIp }) as ServerLimits;

test("an address has so many connections and no more, until one is closed", () => {
  const connections = new ConnectionLimits(limits(100, 2), new Map());
  expect(connections.admit("10.0.0.1")).toBeUndefined();
  expect(connections.admit("10.0.0.1")).toBeUndefined();
  expect(connections.admit("10.0.0.1")).toContain("10.0.0.1 has 2 connections");
  expect(connections.admit("10.0.0.2")).toBeUndefined();
  connections.release("10.0.0.1");
  expect(connections.admit("10.0.0.1")).toBeUndefined();
});

test("an override takes the place of the limit, zero included", () => {
  const overrides = new Map([
    ["10.0.0.1", 3],
    ["10.0.0.2", 0],
  ]);
  const connections = new ConnectionLimits(limits(100, 1), overrides);
  for (let count = 0; count < 3; count++) expect(connections.admit("10.0.0.1")).toBeUndefined();
  expect(connections.admit("10.0.0.1")).toBeDefined();
  expect(connections.admit("10.0.0.2")).toBeDefined();
});

test("all addresses together have max.connections", () => {
  const connections = new ConnectionLimits(limits(2, 100), new Map());
  connections.admit("a");
  connections.admit("b");
  expect(connections.admit("c")).toBe("max.connections=2 is reached");
  connections.release("a");
  expect(connections.admit("c")).toBeUndefined();
});

test("IPv4 over IPv6 is IPv4", () => {
  expect(plainAddress("::ffff:127.0.0.1")).toBe("127.0.0.1");
  expect(plainAddress("::1")).toBe("::1");
});

test("overrides are addresses of both kinds and names", async () => {
  const overrides = await parseConnectionOverrides(" 127.0.0.1:5, [::1]:6,::2:7 ,localhost:8");
  expect(overrides.get("::1") === 6 || overrides.get("::1") === 8).toBe(true);
  expect(overrides.get("::2")).toBe(7);
  expect([...overrides.values()]).toContain(8);
  expect(await parseConnectionOverrides("")).toEqual(new Map());
});

test.each(["127.0.0.1", "127.0.0.1:many", ":5", "no.such.host.invalid:5"])("%s is refused", async (text) => {
  await expect(parseConnectionOverrides(text)).rejects.toMatchObject({ code: "KAAS_CONFIG_INVALID" });
});
