import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { grantChartRights } from "../kubernetes/chart-rights.js";
import type { ControlPlane } from "../kubernetes/control-plane.js";
import { spawnOperator } from "../operator/operator-process.js";
import { freePort } from "../lib/free-port.js";

const CLUSTER = {
  apiVersion: "kaas.rs/v1alpha1",
  kind: "KafkaCluster",
  metadata: { name: "kaas" },
  spec: { listeners: [{ name: "plain", port: 9092, type: "internal" }] },
};

/** The operator in a process of its own, with the rights that the chart gives it. */
export class ClusterOperator {
  readonly #site: Parameters<typeof spawnOperator>[0];
  #process: ChildProcess | undefined;

  private constructor(site: Parameters<typeof spawnOperator>[0]) {
    this.#site = site;
  }

  /** Gives the operator its rights, and a KafkaCluster. `volume` has the data directory `data`, and maybe `fast`. */
  static async prepare(plane: ControlPlane, namespace: string, volume: string): Promise<ClusterOperator> {
    await grantChartRights(plane, namespace, "operator");
    const path = `/apis/kaas.rs/v1alpha1/namespaces/${namespace}/kafkaclusters`;
    await plane.ask("POST", path, JSON.stringify(CLUSTER));
    return new ClusterOperator({ plane, namespace, volume });
  }

  /** Does nothing where it runs already. */
  async start(): Promise<void> {
    if (this.#isRunning) return;
    this.#process = spawnOperator(this.#site, await freePort());
    this.#process.stdout?.resume();
  }

  async kill(): Promise<void> {
    const running = this.#process;
    if (running === undefined || !this.#isRunning) return;
    const ended = once(running, "exit");
    running.kill("SIGKILL");
    await ended;
  }

  get #isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }
}
