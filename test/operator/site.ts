import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { silentLog } from "@kaas/core";
import {
  connectKubernetes,
  KAFKA_CLUSTERS,
  KAFKA_TOPICS,
  KAFKA_USERS,
  type KubernetesApi,
  type KubernetesObject,
  type Resource,
} from "@kaas/k8s";
import { openOperator, type Operator } from "@kaas/operator";
import type { Condition } from "@kaas/operator-api";
import { systemClock } from "@kaas/storage";
import { grantChartRights } from "../kubernetes/chart-rights.js";
import type { ControlPlane } from "../kubernetes/control-plane.js";
import { until } from "../lib/until.js";
import { PatientApi } from "./patient-api.js";

/** Who the operator is to the API server. */
export const OPERATOR_USER = "operator";
/** Nobody loses it because the machine does much else; who ends gives it up. */
const LONG_LEASE = { durationMs: 60_000, renewDeadlineMs: 40_000, retryMs: 500 };
/** So many looks without a call, and what was under way has ended; with what lies between them at least two seconds. */
const QUIET_LOOKS = 20;
const LOOK_MS = 100;

export const RESOURCES = { topic: KAFKA_TOPICS, user: KAFKA_USERS, cluster: KAFKA_CLUSTERS } as const;
const FOLLOWED: readonly Resource[] = Object.values(RESOURCES);

/** A namespace with an operator in it, which has the rights of the chart and a volume in a temporary folder. */
export class Site {
  readonly plane: ControlPlane;
  readonly namespace: string;
  readonly admin: PatientApi;
  readonly volume: string;
  /** Calls of the operator, such as `get secrets given`. */
  readonly calls: string[] = [];
  #operator: Operator | undefined;
  #api: KubernetesApi | undefined;

  private constructor(plane: ControlPlane, namespace: string, admin: KubernetesApi) {
    this.plane = plane;
    this.namespace = namespace;
    this.admin = new PatientApi(admin);
    this.volume = mkdtempSync(join(tmpdir(), "kaas-operator-"));
    mkdirSync(join(this.volume, "data"));
    mkdirSync(join(this.volume, "fast"));
  }

  static async open(plane: ControlPlane, namespace: string): Promise<Site> {
    const { api } = await connectKubernetes({ environment: {}, clock: systemClock, kubeconfig: plane.kubeconfig });
    const site = new Site(plane, namespace, api);
    try {
      await site.#prepare();
    } catch (error) {
      await site.end();
      throw error;
    }
    return site;
  }

  async start(): Promise<void> {
    const kubeconfig = `${this.plane.kubeconfig}-${OPERATOR_USER}`;
    const { api } = await connectKubernetes({ environment: {}, clock: systemClock, kubeconfig });
    this.#api = api;
    this.#operator = await openOperator({
      api: counted(api, this.calls),
      namespace: this.namespace,
      clusterName: "kaas",
      identity: `operator-${this.calls.length}`,
      dataDirectory: join(this.volume, "data"),
      furtherDirectories: [join(this.volume, "fast")],
      log: silentLog,
      leaseTiming: LONG_LEASE,
    });
    this.#operator.start();
    await until("the operator leads", () => this.#operator?.leads === true);
  }

  /**
   * Resolves when nothing is under way any more, nor about to be; the Lease is renewed all the time. It is looks that are
   * counted: each has the API server list what the operator watches, as it is now. So whoever stands still for a while, the
   * server, its etcd or this process, holds up the looks as well, and what comes of it is still seen.
   */
  async quiet(): Promise<void> {
    let [count, looks] = [-1, 0];
    await until("the operator has nothing to do", async () => {
      await sleep(LOOK_MS);
      const isIdle = await Promise.race([this.#operator?.idle().then(() => true), sleep(LOOK_MS, false)]);
      for (const resource of FOLLOWED) await this.admin.list(resource, { namespace: this.namespace });
      const { length } = this.calls.filter((call) => !call.includes("leases"));
      looks = isIdle === true && length === count ? looks + 1 : 0;
      count = length;
      return looks > QUIET_LOOKS;
    });
  }

  async stop(): Promise<void> {
    await this.#operator?.stop();
    this.#operator = undefined;
    this.#api?.close();
  }

  async end(): Promise<void> {
    await this.stop();
    await this.plane.ask("DELETE", `/api/v1/namespaces/${this.namespace}`).catch(() => "");
    this.admin.close();
    rmSync(this.volume, { recursive: true, force: true });
  }

  create<T extends KubernetesObject>(resource: Resource<T>, name: string, spec: object, more: object = {}): Promise<T> {
    const { group, version, kind } = resource;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const object = { apiVersion, kind, metadata: { name, namespace: this.namespace, ...more }, spec };
    return this.admin.create(resource, object as unknown as T);
  }

  cluster(spec: object = {}): Promise<KubernetesObject> {
    const listeners = [{ name: "plain", port: 9092, type: "internal" }];
    return this.create(KAFKA_CLUSTERS, "kaas", { listeners, ...spec });
  }

  async find<T extends KubernetesObject>(resource: Resource<T>, name: string): Promise<T | undefined> {
    try {
      return await this.admin.get(resource, { name, namespace: this.namespace });
    } catch (error) {
      if ((error as { status?: unknown }).status === 404) return undefined;
      throw error;
    }
  }

  merge(resource: Resource, name: string, object: object): Promise<KubernetesObject> {
    return this.admin.patch(resource, { name, namespace: this.namespace }, { type: "merge", object });
  }

  remove(resource: Resource, name: string): Promise<void> {
    return this.admin.delete(resource, { name, namespace: this.namespace });
  }

  /** Waits until the condition Ready of a resource reads so. */
  async ready(resource: Resource, name: string, wanted: RegExp, timeoutMs?: number): Promise<void> {
    let found = "";
    const isSo = async (): Promise<boolean> => {
      found = readyOf(await this.find(resource, name));
      return wanted.test(found);
    };
    await until(`${name} is ${wanted}`, isSo, timeoutMs).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; it is: ${found}`);
    });
  }

  async #prepare(): Promise<void> {
    const { plane, namespace } = this;
    const ask = (path: string, object: object): Promise<string> => plane.ask("POST", path, JSON.stringify(object));
    await ask("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await grantChartRights(plane, namespace, OPERATOR_USER);
  }
}

export function readyOf(object: KubernetesObject | undefined): string {
  const { conditions } = (object as { status?: { conditions?: readonly Condition[] } } | undefined)?.status ?? {};
  const ready = conditions?.find(({ type }) => type === "Ready");
  return ready === undefined ? "no condition" : `${ready.status} ${ready.reason}: ${ready.message}`;
}

function counted(api: KubernetesApi, calls: string[]): KubernetesApi {
  return new Proxy(api, {
    get(target, verb) {
      const member: unknown = Reflect.get(target, verb);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const [resource, ref] = args as [Resource | undefined, { readonly name?: string } | undefined];
        calls.push(`${String(verb)} ${resource?.plural ?? ""} ${ref?.name ?? ""}`);
        return Reflect.apply(member, target, args);
      };
    },
  });
}
