import { parseProperties } from "../../packages/kaas-core/src/config/properties.js";
import { BrokerProcess, temporaryDirectory } from "../../apps/broker/test/spawn-broker.js";
import { freePort } from "../lib/free-port.js";
import type { Rows } from "../lib/rows.js";
import { type HelmChart, type Manifest, variableOf } from "./helm-chart.js";

const ISSUER = { name: "kafka-ca" };

/** A listener's name has at most eleven letters. */
const nameOf = (type: string): string => type.slice(0, 11);
const listener = (type: string, port: number, more: object = {}): object => ({
  name: nameOf(type),
  port,
  type,
  ...more,
});

const certificates = {
  listeners: [listener("internal", 9092, { tls: true, authentication: { type: "tls" } })],
};

/** What values become, and which are refused because nothing could come of them. */
export async function valueRows(chart: HelmChart, rows: Rows): Promise<void> {
  rows.report("a broker starts with every type of listener", await startProblems(chart));
  rows.report("numbers of a values file stay numbers", numberProblems(chart));
  rows.report(
    "a number that YAML cannot hold is refused by name",
    chart.refusalOf({ config: { "flush.messages": 9_223_372_036_854_775_807n } }, /config\.flush\.messages/),
  );
  rows.report("settings are what was written, backslashes and line breaks too", textProblems(chart));
  rows.report(
    "a setting's name is a name",
    chart.refusalOf({ config: { "log.retention.hours=1": "x" } }, /log\.retention\.hours=1/),
  );
  rows.report("names that YAML takes for numbers stay names", nameProblems(chart));
  rows.report("a release with a dot in its name has Services without", dotProblems(chart));
  rows.report(
    "a certificate comes from one place",
    chart.refusalOf({ tls: { issuerRef: ISSUER, existingSecret: "mine" } }, /issuerRef or existingSecret, not both/),
  );
  rows.report(
    "an issuer without a name is not passed over",
    chart.refusalOf({ tls: { issuerRef: { kind: "Issuer" } } }, /tls\.issuerRef: the name/),
  );
  rows.report(
    "names for a certificate that nobody makes are not passed over",
    chart.refusalOf({ tls: { existingSecret: "mine", dnsNames: ["kafka.example.com"] } }, /tls\.dnsNames: /),
  );
  rows.report(
    "settings that brokers have from elsewhere are refused by name",
    chart.refusalOf({ config: { "log.dirs": "/var/lib/kafka" } }, /config\.log\.dirs: brokers have it from storage/),
  );
  const admins = { enabled: true, superUsers: ["User:admin"] };
  rows.report(
    "so are those that other values decide",
    [
      { authorization: admins, config: { "super.users": "User:bob" } },
      { authorization: admins, config: { "authorizer.class.name": "" } },
      { tls: { existingSecret: "mine" }, config: { "ssl.keystore.location": "/mine" } },
      { tls: { clientsCa: { existingSecret: "mine" } }, config: { "ssl.truststore.location": "/mine" } },
    ].flatMap((values) => chart.refusalOf(values, /config\.[a-z.]+: brokers have it from/)),
  );
  rows.report(
    "super users without authorization are not passed over",
    chart.refusalOf({ authorization: { ...admins, enabled: false } }, /authorization\.superUsers: /),
  );
  rows.report(
    "a pod has the time that a broker needs to hand over",
    chart.refusalOf({ terminationGracePeriodSeconds: 20 }, /terminationGracePeriodSeconds.*30/),
  );
  rows.report(
    "a volume is not called as the data directory is",
    chart.refusalOf({ storage: { volumes: [{ name: "data", size: "1Gi" }] } }, /storage\/volumes\/0\/name/),
  );
  const onePod = { storage: { data: { accessModes: ["ReadWriteOncePod"] } } };
  rows.report(
    "a volume for one pod is not for several",
    chart.refusalOf({ replicas: 1, ...onePod }, /storage\.data: ReadWriteOncePod.*operator are 2/),
  );
  rows.report(
    "a volume for one pod is for a broker without an operator",
    chart
      .renderedWith({ replicas: 1, operator: { enabled: false }, ...onePod })
      .some(({ kind }) => kind === "PersistentVolumeClaim")
      ? []
      : ["there is no claim"],
  );
  rows.report(
    "a listener with tls needs a certificate",
    chart.refusalOf(
      { listeners: [listener("internal", 9092, { tls: true })] },
      /listener internal has tls.*tls\.issuerRef/,
    ),
  );
  rows.report(
    "a listener for certificates needs their authority",
    chart.refusalOf({ ...certificates, tls: { issuerRef: ISSUER } }, /tls\.clientsCa\.existingSecret/),
  );
  rows.report("clients' certificates have an authority of their own", authorityProblems(chart));
  rows.report(
    "a field of a listener that does not exist is refused by name",
    chart.refusalOf(
      { listeners: [listener("loadbalancer", 9095, { configuration: { bootstraphost: "kafka.example.com" } })] },
      /bootstraphost/,
    ),
  );
  rows.report("helm test's pod is pulled and placed as those of brokers are", testPodProblems(chart));
  rows.report("the cluster's files may have a volume of their own", clusterVolumeProblems(chart));
  rows.report("lag is reckoned from what all brokers say", lagProblems(chart));
  rows.report(
    "the KafkaCluster stays without the operator",
    chart.renderedWith({ operator: { enabled: false } }).some(({ kind }) => kind === "KafkaCluster") ? [] : ["it goes"],
  );
}

/** What is told to whoever has installed it, by a release that is. */
export function noteProblems(chart: HelmChart, release: readonly string[]): string[] {
  const issuerRef = { ...ISSUER, kind: "ClusterIssuer" };
  const listeners = [listener("internal", 9092, { tls: true }), listener("loadbalancer", 9095)];
  const notes = chart.notesOf(release, { listeners, tls: { issuerRef }, authorization: { enabled: true } });
  const metricsFrom = [{ podSelector: {} }];
  const quiet = chart.notesOf(release, { authorization: { enabled: true }, networkPolicy: { metricsFrom } });
  return [
    ...(notes.includes("internal: kaas-bootstrap.kafka.svc:9092 (TLS)") ? [] : ["not where it is from inside"]),
    ...(notes.includes("bootstrap.kafka.svc:9095") ? ["one from outside is sent to a name that only pods know"] : []),
    ...(/by loadbalance.*\n.*kafkacluster kaas -o wide/.test(notes) ? [] : ["not where it is from outside"]),
    ...(notes.includes("kaas-cluster-ca-cert") ? [] : ["not whom to trust"]),
    ...(notes.includes("networkPolicy.metricsFrom") ? [] : ["not that metrics name topics"]),
    ...(quiet.includes("networkPolicy.metricsFrom") ? ["that metrics name topics, where only some may read them"] : []),
  ].map((problem) => `${problem}: ${notes}`);
}

function clusterVolumeProblems(chart: HelmChart): string[] {
  const manifests = chart.renderedWith({ storage: { cluster: { size: "1Gi" } } });
  const claims = manifests.filter(({ kind }) => kind === "PersistentVolumeClaim").map(({ metadata }) => metadata.name);
  const pods = manifests.flatMap(({ spec }) => spec?.template?.spec ?? []);
  const told = pods.map(({ containers }) => containers[0]?.env.find(({ name }) => name === "KAAS_CLUSTER_DIR")?.value);
  const mounted = pods.filter(({ volumes }) => volumes.some(({ name }) => name === "cluster")).length;
  return [
    ...(claims.includes("kaas-cluster") ? [] : [`claims ${claims.join()}`]),
    ...(told.join() === "/cluster,/cluster" ? [] : [`brokers and operator are told ${told.join()}`]),
    ...(mounted === 2 ? [] : [`${mounted} have it mounted`]),
    ...(variableOf(chart.renderedWith({}), "KAAS_CLUSTER_DIR") === "" ? [] : ["it is there unasked"]),
  ];
}

/** The coordinator of a group and the leader of a partition are two brokers as often as not. */
function lagProblems(chart: HelmChart): string[] {
  const metrics = { prometheusRule: { enabled: true }, dashboard: { enabled: true } };
  const manifests = chart.renderedWith({ metrics });
  const rules = manifests.flatMap(({ spec }) => spec?.groups ?? []).flatMap((group) => group.rules);
  const lag = rules.find(({ record }) => record === "kafka_consumergroup_lag_all")?.expr ?? "";
  const panels = manifests.find(({ metadata }) => metadata.name === "kaas-dashboard")?.data?.["kaas.json"] ?? "";
  const ofBoth = ["kafka_topic_partition_current_offset", "kafka_consumergroup_current_offset"];
  return [
    ...ofBoth.filter((name) => !lag.includes(`${name}{namespace="kafka"`)).map((name) => `no rule with ${name}`),
    ...ofBoth.filter((name) => !panels.includes(name)).map((name) => `no panel with ${name}`),
    ...(/kafka_consumergroup_lag\b/.test(panels) ? ["a panel shows what one broker knows"] : []),
  ];
}

/** A broker in a process of its own is given the listeners that the chart renders, as the kubelet would. */
async function startProblems(chart: HelmChart): Promise<string[]> {
  const types = ["internal", "loadbalancer", "nodeport"];
  const ports = await Promise.all(types.map(() => freePort()));
  const listeners = types.map((type, index) => listener(type, ports[index] ?? 0));
  const text = variableOf(chart.renderedWith({ listeners }), "KAAS_LISTENERS").replaceAll("$(MY_POD_NAME)", "kaas-0");
  const directory = temporaryDirectory();
  const broker = new BrokerProcess([], { KAAS_LISTENERS: text, KAAS_DATA_DIR: directory.path });
  try {
    const told = (await broker.announced()).listeners;
    const wanted = types.map(
      (type, index) => `${nameOf(type).toUpperCase()}://kaas-0.kaas-brokers.kafka.svc:${ports[index]}`,
    );
    return told.join() === wanted.join() ? [] : [`it tells ${told.join()}`];
  } catch (error) {
    return [(error as Error).message];
  } finally {
    broker.kill("SIGTERM");
    await broker.ended();
    directory.remove();
  }
}

function numberProblems(chart: HelmChart): string[] {
  const config = {
    "a.large": 107_374_182_400,
    "b.fraction": 0.5,
    "c.negative": -1,
    "d.text": "9223372036854775807",
    "e.truth": true,
  };
  const manifests = chart.renderedWith({ config });
  const text = manifests.find(({ kind, data }) => kind === "ConfigMap" && data?.["server.properties"] !== undefined);
  const lines = text?.data?.["server.properties"]?.trim() ?? "";
  const wanted = "a.large=107374182400\nb.fraction=0.5\nc.negative=-1\nd.text=9223372036854775807\ne.truth=true";
  return lines === wanted ? [] : [lines];
}

/** What a broker reads of the settings of a values file. */
function textProblems(chart: HelmChart): string[] {
  const config = { "a.back": "C:\\new\\table", "b.lines": "x\ny: 1", "c.blanks": " lead and trail ", "d.empty": "" };
  const map = chart.renderedWith({ config }).find(({ kind }) => kind === "ConfigMap");
  const read = parseProperties(map?.data?.["server.properties"] ?? "").map(({ name, value }) => [name, value]);
  return JSON.stringify(read) === JSON.stringify(Object.entries(config)) ? [] : [JSON.stringify(read)];
}

/** Fields that are names, wherever they stand. */
const NAMES: readonly string[] = [
  "name",
  "namespace",
  "secretName",
  "claimName",
  "certificateSecret",
  "serviceAccountName",
  "priorityClassName",
  "image",
  "app.kubernetes.io/instance",
];

function nameProblems(chart: HelmChart): string[] {
  const values = {
    image: { repository: "12", tag: "34" },
    tls: { existingSecret: "1", clientsCa: { existingSecret: "20", issuerRef: { name: "2" } } },
    storage: {
      data: { existingClaim: "3" },
      cluster: { existingClaim: "4" },
      volumes: [{ name: "5", existingClaim: "6" }],
    },
    peers: { existingSecret: "7" },
    priorityClassName: "8",
    serviceAccount: { broker: "9", operator: "10" },
  };
  const problems: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (NAMES.includes(key) && typeof inner !== "string") problems.push(`${path}.${key}: ${String(inner)}`);
      look(inner, `${path}.${key}`);
    }
  };
  const manifests = chart.renderedWith(values, "1234");
  for (const manifest of manifests) look(manifest, manifest.kind);
  return manifests.length > 0 ? problems : ["nothing is rendered"];
}

function dotProblems(chart: HelmChart): string[] {
  const services = chart.renderedWith({}, "kaas.eu-1.prod").filter(({ kind }) => kind === "Service");
  const names = services.map(({ metadata }) => metadata.name).join();
  return names === "kaas-eu-1-prod-brokers,kaas-eu-1-prod-bootstrap" ? [] : [names];
}

function authorityProblems(chart: HelmChart): string[] {
  const clientsCa = { existingSecret: "partners-ca", issuerRef: { name: "partners" } };
  const manifests = chart.renderedWith({ ...certificates, tls: { issuerRef: ISSUER, clientsCa } });
  const trusted = variableOf(manifests, "KAAS_CFG_SSL_TRUSTSTORE_LOCATION");
  const cluster = manifests.find(({ kind }) => kind === "KafkaCluster");
  const without = chart.renderedWith({ tls: { issuerRef: ISSUER } });
  return [
    ...(trusted === "/etc/kaas/clients-ca/ca.crt" ? [] : [`brokers trust ${trusted}`]),
    ...(mountedFrom(manifests, "clients-ca").includes('"partners-ca"') ? [] : ["the Secret is not mounted"]),
    ...(mountedFrom(manifests, "clients-ca").includes("tls.key") ? ["brokers are given its key"] : []),
    ...(JSON.stringify(cluster?.spec?.clientsCa).includes('"partners"') ? [] : ["the operator is not told of it"]),
    ...(variableOf(without, "KAAS_CFG_SSL_TRUSTSTORE_LOCATION") === ""
      ? []
      : ["whom the brokers' issuer signs gets in"]),
  ];
}

/** Where a volume of the brokers comes from. */
function mountedFrom(manifests: readonly Manifest[], volume: string): string {
  const brokers = manifests.find(({ kind }) => kind === "StatefulSet");
  return JSON.stringify(brokers?.spec?.template?.spec?.volumes.find(({ name }) => name === volume)?.secret ?? {});
}

function testPodProblems(chart: HelmChart): string[] {
  const placed = {
    imagePullSecrets: [{ name: "mine" }],
    nodeSelector: { disk: "fast" },
    tolerations: [{ key: "kafka" }],
  };
  const pod = chart.renderedWith(placed).find(({ kind }) => kind === "Pod");
  const spec: Readonly<Record<string, unknown>> = { ...pod?.spec };
  return Object.entries(placed)
    .filter(([name, value]) => JSON.stringify(spec[name]) !== JSON.stringify(value))
    .map(([name]) => `its ${name} are not those of the brokers`);
}
