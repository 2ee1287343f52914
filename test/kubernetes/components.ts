import { join } from "node:path";

/** Parts of the control plane, in the order in which they start. */
export const COMPONENTS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelets"] as const;

export type Component = (typeof COMPONENTS)[number];

export interface Ports {
  readonly etcd: number;
  readonly apiServer: number;
}

/** Files that belong to one control plane; all in its folder. */
export function filesOf(folder: string) {
  return {
    kubeconfig: join(folder, "kubeconfig"),
    /** TOKEN,USER,UID,"GROUP,…" a line. */
    tokens: join(folder, "tokens.csv"),
    ports: join(folder, "ports.json"),
    serviceAccountKey: join(folder, "service-account.key"),
    /** The API server makes its own certificate; nobody vouches for it but itself. */
    certificate: join(folder, "apiserver.crt"),
    log: (component: Component): string => join(folder, `${component}.log`),
    pid: (component: Component): string => join(folder, `${component}.pid`),
  };
}

/** The command line of a component. */
export function flagsOf(component: Component, folder: string, ports: Ports, hasControllers: boolean): string[] {
  const files = filesOf(folder);
  const etcd = `http://127.0.0.1:${ports.etcd}`;
  switch (component) {
    case "etcd":
      return [
        `--data-dir=${join(folder, "etcd")}`,
        // The data lives for one run of tests.
        "--unsafe-no-fsync",
        "--log-level=warn",
        `--listen-client-urls=${etcd}`,
        `--advertise-client-urls=${etcd}`,
        "--listen-peer-urls=http://127.0.0.1:0",
      ];
    case "kube-apiserver":
      return [
        `--etcd-servers=${etcd}`,
        `--cert-dir=${folder}`,
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        `--secure-port=${ports.apiServer}`,
        // A loopback address may not be an endpoint of the Service `kubernetes`.
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--allow-privileged",
        "--authorization-mode=RBAC",
        `--token-auth-file=${files.tokens}`,
        "--service-account-issuer=https://kubernetes.default.svc",
        `--service-account-key-file=${files.serviceAccountKey}`,
        `--service-account-signing-key-file=${files.serviceAccountKey}`,
        // Nodes that nobody looks after stay usable; and nobody makes default service accounts but the controllers.
        `--disable-admission-plugins=TaintNodesByCondition${hasControllers ? "" : ",ServiceAccount"}`,
      ];
    case "kube-controller-manager":
      return [
        `--kubeconfig=${files.kubeconfig}`,
        "--leader-elect=false",
        "--secure-port=0",
        `--service-account-private-key-file=${files.serviceAccountKey}`,
        `--root-ca-file=${files.certificate}`,
        "--kube-api-qps=200",
        "--kube-api-burst=400",
        // Nodes that are played send no heartbeats.
        "--controllers=*,-node-lifecycle-controller",
        // Volumes are folders of this machine.
        "--enable-hostpath-provisioner",
        "--pvclaimbinder-sync-period=1s",
      ];
    case "kube-scheduler":
      return [`--kubeconfig=${files.kubeconfig}`, "--leader-elect=false", "--secure-port=0"];
    case "kubelets":
      return [`--kubeconfig=${files.kubeconfig}`];
  }
}
