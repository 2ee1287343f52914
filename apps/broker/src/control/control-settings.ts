/** How the files of the volume name where a broker is reached by the others. */
export const PEERS_ENDPOINT_PREFIX = "PEERS://";

/** What the control plane is to be: plain data, for it crosses to another thread. */
export interface ControlSettings {
  /** For `/healthz` and for people. */
  readonly name: string;
  readonly incarnation: string;
  readonly version: string;
  readonly logLevel: string;
  readonly isTerminal: boolean;
  /** Undefined: nothing is told over HTTP. */
  readonly health: { readonly host: string; readonly port: number } | undefined;
  /** Undefined where this broker is alone. */
  readonly cluster: ClusterControlSettings | undefined;
}

export interface ClusterControlSettings {
  readonly nodeId: number;
  readonly namespace: string;
  /** Name of the StatefulSet, for the endpoints. */
  readonly set: string;
  readonly clusterName: string;
  /** The headless Service of the brokers; undefined where nobody says. */
  readonly service: string | undefined;
  /** As configured. */
  readonly rack: string | null;
  /** The label of the node that is the rack where none is configured; undefined: none is. */
  readonly rackTopologyKey: string | undefined;
  readonly nodeName: string | undefined;
  /** Wall clock at this start, in place or of the process: of two brokers of one name the later one counts. */
  readonly startedMs: number;
  /** The directory of the cluster's files. */
  readonly clusterDirectory: string;
  readonly peers: {
    readonly host: string;
    readonly port: number;
    readonly token: string;
  };
  readonly kubeconfig: string | undefined;
  readonly podUid: string | undefined;
}
