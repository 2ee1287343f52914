import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeVolume, temporaryDirectory } from "./disk-volume.js";
import { kaasctl, runKubectlKaas } from "./spawn-kaasctl.js";

const folder = temporaryDirectory();
const bin = join(folder.path, "bin");
const path = `${bin}:${process.env["PATH"] ?? ""}`;
const empty = join(folder.path, "empty");
const calls = join(folder.path, "calls");

const PODS = {
  items: [
    {
      metadata: { name: "kaas-1", labels: { "app.kubernetes.io/instance": "kaas" } },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    },
  ],
};

/** A kubectl that knows one pod, and whose exec runs this build of kaasctl on a volume. */
const FAKE = `#!/bin/sh
echo "$*" >> '${calls}'
case "$*" in
  *"get pods"*) cat '${folder.path}/pods.json' ;;
  *" exec "*)
    while [ "$1" != "--" ]; do shift; done
    shift 2
    KAAS_DATA_DIR='${folder.path}/volume' exec '${process.execPath}' '${kaasctl}' "$@" ;;
esac
`;

beforeAll(async () => {
  await makeVolume(join(folder.path, "volume"));
  for (const directory of [bin, empty]) mkdirSync(directory);
  writeFileSync(join(folder.path, "pods.json"), JSON.stringify(PODS));
  writeFileSync(join(bin, "kubectl"), FAKE);
  chmodSync(join(bin, "kubectl"), 0o755);
}, 120_000);

afterAll(() => folder.remove());

test("kubectl kaas runs kaasctl in a broker's pod, with its output and its exit code", async () => {
  const { code, stdout, stderr } = await runKubectlKaas(["-n", "kafka", "topic", "ls", "-o", "json"], path);
  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject([{ name: "orders" }, { name: "payments" }, { name: "users" }]);
  expect(readFileSync(calls, "utf8").split("\n")).toEqual([
    "--namespace kafka get pods --selector app.kubernetes.io/name=kaas,app.kubernetes.io/component=broker --output json",
    "--namespace kafka exec kaas-1 --container broker -- kaasctl topic ls -o json",
    "",
  ]);
  const refused = await runKubectlKaas(["-n", "kafka", "topic", "describe", "none"], path);
  expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("there is no topic none") });
});

test("without a kubectl it says so", async () => {
  expect(await runKubectlKaas(["doctor"], empty)).toMatchObject({
    code: 2,
    stderr: "kubectl kaas: there is no kubectl on the PATH\nTry kubectl kaas --help.\n",
  });
});
