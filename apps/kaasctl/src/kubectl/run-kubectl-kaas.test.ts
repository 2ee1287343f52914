import { expect, test } from "vitest";
import { testSurroundings } from "../../test/test-surroundings.js";
import type { Kubectl } from "./kubectl-process.js";
import { runKubectlKaas } from "./run-kubectl-kaas.js";

interface PodOptions {
  readonly isReady?: boolean;
  readonly isLeaving?: boolean;
  readonly cluster?: string;
}

function pod(name: string, { isReady = true, isLeaving = false, cluster = "kaas" }: PodOptions = {}): object {
  const labels = { "app.kubernetes.io/instance": cluster };
  const conditions = [
    { type: "PodScheduled", status: "True" },
    { type: "Ready", status: isReady ? "True" : "False" },
  ];
  const metadata = { name, labels, ...(isLeaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) };
  return { metadata, status: { phase: "Running", conditions } };
}

/** Runs a command line against pods; what kubectl was called with is in `calls`. */
async function run(
  args: readonly string[],
  pods: readonly object[] = [pod("kaas-0")],
  { code: handedCode = 0, isTerminal = false, refusal = "" } = {},
): Promise<{ code: number; text: string; errors: string; calls: (readonly string[])[] }> {
  const calls: (readonly string[])[] = [];
  const kubectl: Kubectl = {
    ask: async (asked) => {
      calls.push(asked);
      return { code: refusal === "" ? 0 : 1, stdout: JSON.stringify({ items: pods }), stderr: refusal };
    },
    handOver: async (handed) => {
      calls.push(handed);
      return handedCode;
    },
  };
  const { surroundings, text, errors } = testSurroundings({ isTerminal });
  const code = await runKubectlKaas(args, surroundings, kubectl);
  return { code, text: text(), errors: errors(), calls };
}

test("a command runs in the first pod that is ready, and its exit code is that of the command", async () => {
  const pods = [pod("kaas-0", { isReady: false }), pod("kaas-1", { isLeaving: true }), pod("kaas-2")];
  const { code, calls } = await run(["topic", "describe", "orders", "-o", "json", "-n", "kafka"], pods, { code: 1 });
  expect(code).toBe(1);
  const selector = "app.kubernetes.io/name=kaas,app.kubernetes.io/component=broker";
  expect(calls).toEqual([
    ["--namespace", "kafka", "get", "pods", "--selector", selector, "--output", "json"],
    [
      ...["--namespace", "kafka", "exec", "kaas-2", "--container", "broker"],
      ...["--", "kaasctl", "topic", "describe", "orders", "-o", "json"],
    ],
  ]);
});

test("brokers may be asked from within the pod; what only a volume tells is refused before", async () => {
  const args = ["brokers", "--bootstrap-server", "kaas-bootstrap:9092"];
  expect((await run(args)).calls[1]).toEqual(["exec", "kaas-0", "--container", "broker", "--", "kaasctl", ...args]);
  const refused = await run(["drain", "kaas-1", "--bootstrap-server", "kaas-bootstrap:9092"]);
  expect(refused).toMatchObject({ code: 2, calls: [], errors: expect.stringContaining("drain does not work with") });
});

test("options for kubectl may stand anywhere, and a pod that is named is not looked for", async () => {
  const args = ["--context=east", "doctor", "--pod", "kaas-1", "--kubeconfig", "/k", "-nkafka"];
  expect((await run(args, [], { isTerminal: true })).calls).toEqual([
    [
      ...["--kubeconfig", "/k", "--context", "east", "--namespace", "kafka"],
      ...["exec", "--stdin", "--tty", "kaas-1", "--container", "broker", "--", "kaasctl", "doctor"],
    ],
  ]);
});

test.for<[string, readonly object[]]>([
  ["there is no broker's pod in namespace kafka; say where: -n NAMESPACE", []],
  [
    "namespace kafka has brokers of several clusters: east, west; name a pod: --pod NAME",
    [pod("east-kaas-0", { cluster: "east" }), pod("west-kaas-0", { cluster: "west" })],
  ],
  ["no broker's pod in namespace kafka is ready: kaas-0 is Running", [pod("kaas-0", { isReady: false })]],
])("%s", async ([message, pods]) => {
  const { code, errors, calls } = await run(["doctor", "-n", "kafka"], pods);
  expect([code, calls.length]).toEqual([2, 1]);
  expect(errors).toContain(`kubectl kaas: ${message}`);
});

test("what kubectl refuses is told", async () => {
  const { code, errors } = await run(["doctor"], [], { refusal: "error: pods is forbidden\n" });
  expect([code, errors]).toEqual([
    2,
    "kubectl kaas: kubectl get pods failed: error: pods is forbidden\nTry kubectl kaas --help.\n",
  ]);
});

test("help and what is wrong with a command line need no cluster", async () => {
  const help = await run(["--help"]);
  expect(help).toMatchObject({ code: 0, calls: [] });
  expect(help.text).toContain("kubectl kaas <command> [options]");
  expect(help.text).toContain("-n, --namespace");
  expect(help.text).not.toContain("kaasctl completion");
  expect((await run(["fuse", "show", "--help"])).text).toContain("kubectl kaas fuse show [broker]");
  for (const args of [["docter"], [], ["topic"], ["doctor", "-n"], ["completion"]]) {
    const { code, errors, calls } = await run(args);
    expect([args, code, calls]).toEqual([args, 2, []]);
    expect(errors).toMatch(/^kubectl kaas: [^]+\nTry kubectl kaas --help\.\n$/);
  }
  expect((await run(["topic"])).errors).toContain("See kubectl kaas topic --help");
});
