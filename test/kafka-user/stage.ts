import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestAuthority, testAuthority } from "../../packages/kaas-core/test/fakes/certificates.js";
import { Cluster } from "../cluster/cluster.js";
import { grantChartRights } from "../kubernetes/chart-rights.js";
import type { ControlPlane } from "../kubernetes/control-plane.js";
import { freePort } from "../lib/free-port.js";
import { spawnOperator } from "../operator/operator-process.js";
import { SECRETS } from "../operator/resource-rows.js";
import { until } from "../lib/until.js";
import { RESOURCES, Site } from "../operator/site.js";
import { defineCertificates } from "./cert-manager.js";
import { JavaClient, type Login } from "./java-client.js";

export const NAMESPACE = "users";
const LISTENER = { name: "tls", type: "internal", tls: true, authentication: { type: "scram-sha-512" } } as const;
const MUTUAL = { name: "mutual", type: "internal", tls: true, authentication: { type: "tls" } } as const;
/** Below the ports that free ones are taken from. */
const MUTUAL_PORT_OFFSET = 12_000;
const mutualPort = (port: number): number => port - MUTUAL_PORT_OFFSET;
const SUPER_USER = "admin";

/** A super user of the configuration, who is a KafkaUser like others. */
const SECURITY = [
  "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
  `super.users=User:${SUPER_USER}`,
  "auto.create.topics.enable=false",
  "quota.window.num=2",
];

/**
 * Two brokers and an operator as processes, each with the rights of the chart, on one directory; and the Java client.
 * There is one listener that takes nobody but by SCRAM over TLS, and one that takes certificates, of an authority that is
 * not the one of the brokers.
 */
export class Stage {
  readonly site: Site;
  readonly cluster: Cluster;
  readonly java: JavaClient;
  /** The authority that signs certificates of clients. */
  readonly clients: TestAuthority;
  /** The one of the brokers' certificates, as PEM. */
  readonly authority: string;
  /** Key and certificate of a client whom the brokers' authority has signed for. */
  readonly aliceFile: string;
  #operator: ChildProcess | undefined;

  private constructor(site: Site, certificates: string, clients: TestAuthority) {
    const { plane, volume } = site;
    this.site = site;
    this.clients = clients;
    this.authority = readFileSync(join(certificates, "ca.pem"), "utf8");
    this.aliceFile = join(certificates, "alice.pem");
    const clientsFile = join(volume, "clients-ca.pem");
    writeFileSync(clientsFile, clients.certificate);
    this.java = new JavaClient(join(certificates, "ca.pem"));
    this.cluster = new Cluster({
      kubeconfig: `${plane.kubeconfig}-broker`,
      namespace: site.namespace,
      brokers: 2,
      dataDirectory: join(volume, "data"),
      listeners: (port) =>
        JSON.stringify([
          { ...LISTENER, port },
          { ...MUTUAL, port: mutualPort(port) },
        ]),
      configs: [
        `log.dirs=${join(volume, "data")},${join(volume, "fast")}`,
        ...SECURITY,
        "ssl.keystore.type=PEM",
        `ssl.keystore.location=${join(certificates, "broker.pem")}`,
        "ssl.truststore.type=PEM",
        `ssl.truststore.location=${clientsFile}`,
      ],
    });
  }

  static async open(plane: ControlPlane, certificates: string): Promise<Stage> {
    const site = await Site.open(plane, NAMESPACE);
    const stage = new Stage(site, certificates, await testAuthority("CN=Clients CA"));
    try {
      await grantChartRights(plane, NAMESPACE, "broker");
      await defineCertificates(site);
      await stage.#createCluster();
      await site.create(RESOURCES.user, SUPER_USER, { authentication: { type: "scram-sha-512" } });
      await stage.startOperator();
      await site.ready(RESOURCES.user, SUPER_USER, /^True/);
      await stage.cluster.start();
    } catch (error) {
      await stage.end();
      throw error;
    }
    return stage;
  }

  async #createCluster(): Promise<void> {
    const { site, authority } = this;
    const metadata = { name: "brokers", namespace: site.namespace };
    const inBase64 = (text: string): string => Buffer.from(text).toString("base64");
    // Brokers of this suite have certificate and key from a file: the operator looks only whether there are any.
    const data = { "ca.crt": inBase64(authority), "tls.crt": inBase64("a file"), "tls.key": inBase64("a file") };
    await site.admin.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata, data } as never);
    await site.create(RESOURCES.cluster, "kaas", {
      replicas: 2,
      listeners: [
        { ...LISTENER, port: 9093 },
        { ...MUTUAL, port: 9095 },
      ],
      certificateSecret: "brokers",
      clientsCa: { issuerRef: { name: "clients" } },
    });
  }

  /** Where the brokers take certificates. */
  get mutualServers(): string {
    return this.cluster.bootstrapServers
      .map((server) => server.replace(/\d+$/, (port) => `${mutualPort(Number(port))}`))
      .join();
  }

  async startOperator(): Promise<void> {
    this.#operator = spawnOperator(this.site, await freePort());
    this.#operator.stdout?.resume();
  }

  async killOperator(): Promise<void> {
    const operator = this.#operator;
    if (operator === undefined || operator.exitCode !== null || operator.signalCode !== null) return;
    const ended = once(operator, "exit");
    operator.kill("SIGKILL");
    await ended;
  }

  async end(): Promise<void> {
    await this.java.end();
    await this.cluster.close();
    await this.killOperator();
    await this.site.end();
  }

  /** What the Secret of a user with a password says, by key. */
  secretOf(user: string): Promise<Readonly<Record<string, string>>> {
    return this.textsOf(`${user}-kafka-credentials`);
  }

  /** What a Secret says, by key; nothing where there is none. */
  async textsOf(name: string): Promise<Readonly<Record<string, string>>> {
    const secret = await this.site.find(SECRETS, name);
    const { data = {} } = (secret ?? {}) as { data?: Readonly<Record<string, string>> };
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
    );
  }

  /** A login as the user's Secret has it now. The name of the Service is of no use here, where nobody resolves it. */
  async loginOf(user: string, bootstrapServers: string = this.cluster.bootstrapServers.join(",")): Promise<Login> {
    const { "sasl.jaas.config": jaasConfig = "" } = await this.secretOf(user);
    if (jaasConfig === "") throw new Error(`the Secret of ${user} has no sasl.jaas.config`);
    return { bootstrapServers, jaasConfig };
  }

  admin(bootstrapServers?: string): Promise<Login> {
    return this.loginOf(SUPER_USER, bootstrapServers);
  }

  /**
   * Waits until every broker, asked by itself, shows so. Each finds out what changed in its own time, when somebody logs in
   * at the latest; a Secret is there a moment before the brokers' files are.
   */
  async shownByAll(
    wanted: RegExp,
    what: "topics" | "partitions",
    login: Login,
    ...words: (string | number)[]
  ): Promise<void> {
    for (const bootstrapServers of login.bootstrapServers.split(",")) {
      await this.answers(wanted, what, { ...login, bootstrapServers }, ...words);
    }
  }

  /** Waits until a command of the Java client answers so; refusals count as answers. */
  async answers(wanted: RegExp, command: string, login: Login, ...words: (string | number)[]): Promise<string> {
    let answer = "";
    const isSo = async (): Promise<boolean> => {
      answer = await this.java.ask(command, login, ...words).catch((error: unknown) => (error as Error).message);
      return wanted.test(answer);
    };
    await until(`${command} ${words.join(" ")} answers ${wanted}`, isSo).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; it answers ${answer}`);
    });
    return answer;
  }
}
