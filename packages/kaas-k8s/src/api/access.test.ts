import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestClock } from "../testing/test-clock.js";
import { connectKubernetes } from "./connect.js";
import { inClusterAccess, isInCluster } from "./in-cluster.js";
import { kubeconfigAccess } from "./kubeconfig.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kaas-access-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const mounted = (token: string): void => {
  writeFileSync(join(folder, "token"), `${token}\n`);
  writeFileSync(join(folder, "ca.crt"), "authority");
  writeFileSync(join(folder, "namespace"), "events\n");
};

test("a pod is let in by its token, which is read again as it is renewed", async () => {
  mounted("first");
  const clock = new TestClock();
  const environment = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "6443" };
  const access = await inClusterAccess({ environment, clock, mount: folder });
  expect([access.server, access.namespace]).toEqual(["https://10.96.0.1:6443", "events"]);
  mounted("second");
  expect((await access.credentials()).headers).toEqual({ authorization: "Bearer first" });
  await clock.run(60_000);
  expect(await access.credentials()).toEqual({
    headers: { authorization: "Bearer second" },
    ca: Buffer.from("authority"),
  });
});

test("an address of version 6 is put in brackets", async () => {
  mounted("token");
  const environment = { KUBERNETES_SERVICE_HOST: "fd00::1" };
  const { server } = await inClusterAccess({ environment, clock: new TestClock(), mount: folder });
  expect(server).toBe("https://[fd00::1]:443");
});

test("a pod without a token is told what is missing", async () => {
  const environment = { KUBERNETES_SERVICE_HOST: "10.96.0.1" };
  expect(isInCluster(environment)).toBe(true);
  expect(isInCluster({})).toBe(false);
  await expect(inClusterAccess({ environment, clock: new TestClock(), mount: folder })).rejects.toMatchObject({
    code: "KAAS_CONFIG_INVALID",
    message: expect.stringContaining("automountServiceAccountToken"),
  });
});

function kubeconfig(user: object, more: object = {}): string {
  const file = join(folder, "kubeconfig");
  const text = JSON.stringify({
    clusters: [
      {
        name: "c",
        cluster: {
          server: "https://example.test:1234",
          "certificate-authority-data": Buffer.from("authority").toString("base64"),
          "tls-server-name": "other.test",
          ...more,
        },
      },
    ],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "events" } }],
    "current-context": "x",
  });
  writeFileSync(file, text);
  return file;
}

test("a kubeconfig gives address, namespace, authority and token", async () => {
  const access = await kubeconfigAccess(kubeconfig({ token: "secret" }));
  expect([access.server, access.namespace]).toEqual(["https://example.test:1234", "events"]);
  const credentials = await access.credentials();
  expect(credentials.headers).toEqual({ Authorization: "Bearer secret" });
  expect(String(credentials.ca)).toBe("authority");
  expect(credentials.servername).toBe("other.test");
  expect(credentials.rejectUnauthorized).not.toBe(false);
});

test("a kubeconfig may have a certificate or a password instead", async () => {
  const data = (text: string): string => Buffer.from(text).toString("base64");
  const withKey = kubeconfig({ "client-certificate-data": data("cert"), "client-key-data": data("key") });
  const { cert, key } = await (await kubeconfigAccess(withKey)).credentials();
  expect([String(cert), String(key)]).toEqual(["cert", "key"]);
  const withPassword = await kubeconfigAccess(kubeconfig({ username: "me", password: "pw" }));
  expect((await withPassword.credentials()).headers).toEqual({ authorization: `Basic ${data("me:pw")}` });
});

test("a kubeconfig that is missing, is none, or names no cluster is an error of configuration", async () => {
  const broken = join(folder, "broken");
  writeFileSync(broken, "{");
  const empty = join(folder, "empty");
  writeFileSync(empty, JSON.stringify({ clusters: [], users: [], contexts: [] }));
  for (const file of [join(folder, "missing"), broken, empty]) {
    const connecting = connectKubernetes({ environment: {}, clock: new TestClock(), kubeconfig: file });
    await expect(connecting).rejects.toMatchObject({
      code: "KAAS_CONFIG_INVALID",
      message: expect.stringContaining(file),
    });
  }
});

test("a kubeconfig that asks for a proxy is refused, as there is none", async () => {
  const file = kubeconfig({ token: "secret" }, { "proxy-url": "http://proxy.test:3128" });
  await expect(kubeconfigAccess(file)).rejects.toMatchObject({ message: expect.stringContaining("proxy-url") });
});

test("a kubeconfig that is named goes before all else", async () => {
  const file = kubeconfig({ token: "secret" });
  const environment = { KUBERNETES_SERVICE_HOST: "10.96.0.1" };
  const { api, namespace } = await connectKubernetes({ environment, clock: new TestClock(), kubeconfig: file });
  expect(namespace).toBe("events");
  api.close();
});
