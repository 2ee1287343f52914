import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { silentLog } from "@kaas/core";
import {
  connectKubernetes,
  KAFKA_CLUSTER_ASSIGNMENTS,
  KAFKA_CLUSTERS,
  KAFKA_TOPICS,
  KAFKA_USERS,
  type KubernetesApi,
  type ReflectorTiming,
  type Resource,
} from "@kaas/k8s";
import { systemClock, systemRandom } from "@kaas/storage";
import { parse } from "yaml";
import { type ControlPlane, kubeconfigText } from "../control-plane.js";
import { Link } from "../link.js";
import { until } from "../../lib/until.js";

const CRDS = fileURLToPath(new URL("../../../deploy/crds/", import.meta.url));

/** Each is served some time after it was installed, and later than those before it. */
const DEFINED: readonly Resource[] = [KAFKA_CLUSTER_ASSIGNMENTS, KAFKA_CLUSTERS, KAFKA_TOPICS, KAFKA_USERS];

/** Short, so that nobody waits; all else is as it is in a cluster. */
export const QUICK: Partial<ReflectorTiming> = { backoffFirstMs: 50, backoffLongestMs: 500, answerMs: 3000 };

/** What everything that talks to the API server is given. */
export const SURROUNDINGS = { clock: systemClock, random: systemRandom, log: silentLog };

export const NAMESPACE = "events";

export function expect(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}

/** Installs the definitions that are shipped, and the namespace. */
export async function prepare(plane: ControlPlane): Promise<void> {
  const apply = async (path: string, object: unknown): Promise<void> => {
    const query = "?fieldManager=test&force=true";
    await plane.ask("PATCH", path + query, JSON.stringify(object), "application/apply-patch+yaml");
  };
  for (const file of readdirSync(CRDS)) {
    const crd = parse(readFileSync(join(CRDS, file), "utf8")) as { metadata: { name: string } };
    await apply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`, crd);
  }
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  await apply(`/api/v1/namespaces/${NAMESPACE}`, namespace);
  const { api } = await connectKubernetes({ environment: {}, clock: systemClock, kubeconfig: plane.kubeconfig });
  for (const resource of DEFINED) {
    await until(`${resource.plural} are served`, () =>
      api.list(resource, { namespace: NAMESPACE }).then(
        () => true,
        () => false,
      ),
    );
  }
  api.close();
}

/** Connections that a row has opened; all are closed behind it. */
export class Stage {
  readonly plane: ControlPlane;
  readonly #closers: (() => unknown)[] = [];
  #files = 0;

  constructor(plane: ControlPlane) {
    this.plane = plane;
  }

  /** The API server as a user reaches it: directly, or over a link. */
  async connect({ user = "admin", link }: { user?: string; link?: Link } = {}): Promise<KubernetesApi> {
    const file = join(this.plane.folder, `stage-${process.pid}-${++this.#files}.kubeconfig`);
    writeFileSync(file, kubeconfigText(link?.url ?? this.plane.url, this.plane.ca, this.plane.user(user)));
    const { api } = await connectKubernetes({ environment: {}, clock: systemClock, kubeconfig: file });
    this.atEnd(() => api.close());
    return api;
  }

  async link(): Promise<Link> {
    const link = await Link.to(this.plane.port);
    this.atEnd(() => link.close());
    return link;
  }

  /** The last that was opened is closed first. */
  atEnd(close: () => unknown): void {
    this.#closers.push(close);
  }

  async end(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
  }
}
