import { type PodIdentity, podIdentity, ZONE_LABEL } from "@kaas/k8s";
import { KaasError } from "@kaas/core";
import { TOKEN_RULE, tokensIn } from "../control/peers/peer-token.js";
import { UsageError } from "./usage-error.js";

type Environment = Readonly<Record<string, string | undefined>>;

const PORT_MAX = 65_535;
const HEALTH_PORT = 8_080;
const PEERS_PORT = 9_094;
const DRAIN_SECONDS = 20;
const DRAIN_SECONDS_MAX = 3_600;
const ANY_ADDRESS = "0.0.0.0";
const THIS_MACHINE = "127.0.0.1";

/** Where `/healthz`, `/readyz` and `/metrics` are. */
export interface HealthSettings {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** What a broker that is one of several has to know. */
export interface ClusterSettings {
  readonly identity: PodIdentity;
  /** Of the pod: its own incarnation as Kubernetes counts. */
  readonly podUid: string | undefined;
  /** Of the machine that the pod runs on; undefined where nobody says. */
  readonly nodeAddress: string | undefined;
  /** The headless Service of the brokers; undefined where nobody says. */
  readonly service: string | undefined;
  /** Of the machine that the pod runs on; undefined where nobody says. */
  readonly nodeName: string | undefined;
  /** The label of that machine that is the rack; undefined: none is. */
  readonly rackTopologyKey: string | undefined;
  /** Names the Lease and the KafkaClusterAssignments. */
  readonly clusterName: string;
  /** Undefined: in the data directory. */
  readonly clusterDirectory: string | undefined;
  readonly peers: {
    readonly host: string;
    readonly port: number;
    /** `host:port` that other brokers connect to. */
    readonly address: string;
    readonly token: string;
  };
  /** How long a broker that is asked to stop waits for others to be given what it leads. */
  readonly drainMs: number;
}

/**
 * Whether, and where, probes and metrics are answered: always in a cluster, elsewhere where `KAAS_HEALTH_PORT` is set.
 *
 * @throws UsageError naming the variable.
 */
export function healthSettingsOf(environment: Environment, isInCluster: boolean): HealthSettings | undefined {
  const { KAAS_HEALTH_PORT: text = "", KAAS_HEALTH_HOST: host = "" } = environment;
  if (text === "off" || (text === "" && !isInCluster)) return undefined;
  const port = text === "" ? HEALTH_PORT : numberOf("KAAS_HEALTH_PORT", text, 0, PORT_MAX);
  return { host: host === "" ? (isInCluster ? ANY_ADDRESS : THIS_MACHINE) : host, port };
}

/**
 * What the environment says of the cluster; undefined where `MY_POD_NAME` is not set.
 *
 * @throws UsageError naming the variable.
 */
export function clusterSettingsOf(
  environment: Environment,
  readFile: (path: string) => string,
): ClusterSettings | undefined {
  const identity = identityOf(environment);
  if (identity === undefined) return undefined;
  const port = numberOf("KAAS_PEERS_PORT", environment["KAAS_PEERS_PORT"] || `${PEERS_PORT}`, 1, PORT_MAX);
  const seconds = environment["KAAS_DRAIN_SECONDS"] || `${DRAIN_SECONDS}`;
  return {
    identity,
    podUid: environment["MY_POD_UID"] || undefined,
    nodeAddress: environment["MY_NODE_IP"] || undefined,
    service: environment["KAAS_PEERS_SERVICE"] || undefined,
    nodeName: environment["MY_NODE_NAME"] || undefined,
    rackTopologyKey: rackTopologyKeyOf(environment),
    clusterName: environment["KAAS_CLUSTER_NAME"] || identity.set,
    clusterDirectory: environment["KAAS_CLUSTER_DIR"] || undefined,
    peers: {
      host: environment["KAAS_PEERS_HOST"] || ANY_ADDRESS,
      port,
      address: addressOf(environment, identity, port),
      token: tokenOf(environment, readFile),
    },
    drainMs: numberOf("KAAS_DRAIN_SECONDS", seconds, 0, DRAIN_SECONDS_MAX) * 1_000,
  };
}

/** A zone is told of with the pods of the Service; any other label is the node's alone. */
function rackTopologyKeyOf(environment: Environment): string | undefined {
  const { KAAS_RACK_TOPOLOGY_KEY: key = "", KAAS_PEERS_SERVICE: service = "", MY_NODE_NAME: node = "" } = environment;
  if (key === "") return undefined;
  const isToldByService = key === ZONE_LABEL && service !== "";
  if (isToldByService || node !== "") return key;
  throw new UsageError(`KAAS_RACK_TOPOLOGY_KEY: ${key} needs MY_NODE_NAME, the node whose label it is`);
}

function identityOf(environment: Environment): PodIdentity | undefined {
  try {
    return podIdentity(environment);
  } catch (error) {
    if (error instanceof KaasError) throw new UsageError(error.message);
    throw error;
  }
}

/** The pod's own address is known at once, while its name takes time to get around. */
function addressOf(environment: Environment, { name, namespace }: PodIdentity, port: number): string {
  const service = environment["KAAS_PEERS_SERVICE"] || undefined;
  const byService = service === undefined ? undefined : `${name}.${service}.${namespace}.svc`;
  const host = environment["KAAS_PEERS_ADDRESS"] || environment["MY_POD_IP"] || byService;
  if (host === undefined) {
    throw new UsageError(
      "KAAS_PEERS_ADDRESS, MY_POD_IP or KAAS_PEERS_SERVICE has to say where other brokers reach this one",
    );
  }
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function tokenOf(environment: Environment, readFile: (path: string) => string): string {
  const { KAAS_PEERS_TOKEN: given = "", KAAS_PEERS_TOKEN_FILE: path = "" } = environment;
  if (given !== "" && path !== "")
    throw new UsageError("KAAS_PEERS_TOKEN and KAAS_PEERS_TOKEN_FILE exclude each other");
  if (given === "" && path === "") {
    throw new UsageError("KAAS_PEERS_TOKEN_FILE is missing: brokers of a cluster know each other by a shared secret");
  }
  const token = path === "" ? given : tokenIn(path, readFile);
  if (tokensIn(token) !== undefined) return token;
  const origin = path === "" ? "KAAS_PEERS_TOKEN" : `KAAS_PEERS_TOKEN_FILE ${path}`;
  throw new UsageError(`${origin}: ${TOKEN_RULE}`);
}

function tokenIn(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path).trim();
  } catch (error) {
    throw new UsageError(`KAAS_PEERS_TOKEN_FILE ${path} cannot be read: ${(error as Error).message}`);
  }
}

function numberOf(variable: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`${variable}: ${text} is not a number from ${min} to ${max}`);
}
