import type { Program } from "../program.js";
import { run, runProgram } from "../run.js";
import { EXIT, type ExitCode } from "../session.js";
import type { Surroundings } from "../surroundings.js";
import { findBrokerPod } from "./broker-pod.js";
import { type Connection, connectionArguments, splitArguments } from "./connection.js";
import type { Kubectl } from "./kubectl-process.js";

/** Of the chart's pods. */
const CONTAINER = "broker";

const KUBECTL_KAAS: Program = {
  name: "kubectl kaas",
  purpose: "runs kaasctl in the pod of a broker, where the volume is",
  manual: {
    summary: "",
    explanation:
      "The commands are those of kaasctl, and are carried out by the kaasctl of the broker's image, on the volume that is mounted there: --data-dir is the broker's unless it is given. The pod is one of those labelled app.kubernetes.io/component=broker that is ready. It takes the rights to list pods and to exec in them.",
    examples: [
      ["$0 -n kafka doctor", "is everything well?"],
      ["$0 -n kafka brokers -o json", "for programs"],
      ["$0 -n kafka --pod kaas-1 fuse show", "by a pod that runs and is not ready"],
    ],
  },
  completes: false,
  addOptions: (cli) =>
    cli
      .option("namespace", { alias: "n", type: "string", requiresArg: true, description: "where the cluster is" })
      .option("context", { type: "string", requiresArg: true, description: "which of the contexts of kubectl" })
      .option("kubeconfig", { type: "string", requiresArg: true, description: "the file with kubectl's contexts" })
      .option("pod", { type: "string", requiresArg: true, description: "the pod to run in; any broker's by default" })
      .global(["namespace", "context", "kubeconfig", "pod"]),
};

/**
 * Runs a command of kaasctl in a broker's pod. What it is asked is understood here first, so that what is wrong with it,
 * and help, need no cluster.
 */
export function runKubectlKaas(
  args: readonly string[],
  surroundings: Surroundings,
  kubectl: Kubectl,
): Promise<ExitCode> {
  return runProgram(KUBECTL_KAAS, surroundings, () => {
    const { connection, rest } = splitArguments(args);
    return run(KUBECTL_KAAS, rest, surroundings, () => runInPod(kubectl, connection, rest, surroundings));
  });
}

async function runInPod(
  kubectl: Kubectl,
  connection: Connection,
  args: readonly string[],
  { out }: Surroundings,
): Promise<ExitCode> {
  const pod = await findBrokerPod(kubectl, connection);
  // With a terminal of its own there are colours and progress, and Ctrl-C ends it.
  const terminal = out.isTerminal ? ["--stdin", "--tty"] : [];
  const where = [...connectionArguments(connection), "exec", ...terminal, pod, "--container", CONTAINER];
  const code = await kubectl.handOver([...where, "--", "kaasctl", ...args]);
  return code === EXIT.SOUND || code === EXIT.UNSOUND ? code : EXIT.USAGE;
}
