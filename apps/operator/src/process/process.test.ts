import { get } from "node:http";
import { describe, expect, test } from "vitest";
import { KaasError } from "@kaas/core";
import { serveHealth } from "./health-server.js";
import { settingsOf } from "./settings.js";
import { startFailure } from "./start-failure.js";

describe("settings", () => {
  test("of an empty environment", () => {
    expect(settingsOf({}, 7)).toEqual({
      namespace: undefined,
      identity: "kaas-operator_7",
      clusterName: "kaas",
      dataDirectory: "/data",
      clusterDirectory: undefined,
      furtherDirectories: undefined,
      volumesDirectory: "/vols",
      healthPort: 8080,
      logLevel: "info",
    });
  });

  test("of the chart's", () => {
    const environment = {
      MY_POD_NAME: "kaas-operator-x",
      MY_POD_NAMESPACE: "events",
      KAAS_CLUSTER_NAME: "events-kaas",
      KAAS_DATA_DIR: "/data/",
      KAAS_LOG_DIRS: "/vols/a, /vols/b/",
      KAAS_LOG_LEVEL: "DEBUG",
      KAAS_HEALTH_PORT: "",
    };
    expect(settingsOf(environment, 1)).toMatchObject({
      namespace: "events",
      identity: "kaas-operator-x_1",
      clusterName: "events-kaas",
      dataDirectory: "/data",
      furtherDirectories: ["/vols/a", "/vols/b"],
      logLevel: "debug",
      healthPort: 8080,
    });
  });

  test.each([
    [{ KAAS_CLUSTER_NAME: "Kaas_1" }, /KAAS_CLUSTER_NAME/],
    [{ KAAS_HEALTH_PORT: "http" }, /KAAS_HEALTH_PORT/],
    [{ KAAS_HEALTH_PORT: "70000" }, /KAAS_HEALTH_PORT/],
    [{ KAAS_LOG_LEVEL: "loud" }, /KAAS_LOG_LEVEL.*trace, debug/],
  ])("%j is refused by its name", (environment, message) => {
    expect(() => settingsOf(environment, 1)).toThrow(message);
  });
});

describe("a start that fails", () => {
  test("is told by code and message, as it is expected to", () => {
    const cause = new Error("ENOENT");
    expect(startFailure(new KaasError("KAAS_CONFIG_INVALID", "kubeconfig: ENOENT", { cause }))).toEqual({
      fields: { code: "KAAS_CONFIG_INVALID" },
      message: "kubeconfig: ENOENT; the operator does not start",
    });
  });

  test("is told with all that there is to know, where nobody expected it", () => {
    const error = new TypeError("x is undefined");
    expect(startFailure(error)).toEqual({ fields: { err: error }, message: "the operator does not start" });
  });
});

describe("probes", () => {
  const ask = (port: number, path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get({ port, path, host: "127.0.0.1" }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", reject);
    });

  test("alive as long as it answers, ready when it is", async () => {
    const health = { leads: false, isReady: false };
    const server = await serveHealth(0, () => health);
    expect(await ask(server.port, "/healthz")).toBe(200);
    expect(await ask(server.port, "/readyz")).toBe(503);
    health.isReady = true;
    expect(await ask(server.port, "/readyz?verbose")).toBe(200);
    expect(await ask(server.port, "/")).toBe(404);
    await expect(serveHealth(server.port, () => health)).rejects.toMatchObject({ code: "KAAS_LISTENER_FAILED" });
    await server.close();
  });
});
