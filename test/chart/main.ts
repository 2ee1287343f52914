// main.ts HELM DIRECTORY: the chart as a person uses it: looked over by Helm, rendered, installed into a real API server,
// upgraded and removed. No container runs. Prints ok/FAIL lines, then 'done'.
import { ControlPlane } from "../kubernetes/control-plane.js";
import { Rows } from "../lib/rows.js";
import { definitionRows } from "./definition-rows.js";
import { CHART, DEPLOY, HelmChart, type Manifest, variableOf } from "./helm-chart.js";
import { listenerProblems } from "./listener-rules.js";
import { noteProblems, valueRows } from "./value-rows.js";

const [program = "", directory = ""] = process.argv.slice(2);
const rows = new Rows();
const helm = new HelmChart(program);
const production = ["--values", `${DEPLOY}examples/nfs-production.yaml`];
const singleNode = ["--values", `${DEPLOY}examples/single-node.yaml`];
/** Kinds of the Prometheus operator are not in a cluster that does not have it. */
const withoutPrometheus = ["--set", "metrics.serviceMonitor.enabled=false,metrics.prometheusRule.enabled=false"];

function podProblems(manifests: readonly Manifest[]): string[] {
  const specs = manifests.flatMap(({ spec }) => spec?.template?.spec ?? []);
  const problems =
    specs.length === 2 ? [] : [`${specs.length} pod templates instead of the brokers' and the operator's`];
  for (const { securityContext, containers } of specs) {
    if (securityContext["runAsNonRoot"] !== true) problems.push("a pod may run as root");
    for (const { securityContext: own } of containers) {
      if (own["readOnlyRootFilesystem"] !== true) problems.push("a root file system can be written");
      if (own["allowPrivilegeEscalation"] !== false) problems.push("a process may gain privileges");
    }
  }
  return problems;
}

/** Rights that are more than the least. */
function rightProblems(manifests: readonly Manifest[]): string[] {
  const roles = manifests.filter(({ kind }) => kind === "Role");
  const problems = manifests.filter(({ kind }) => kind === "ClusterRole").map(() => "rights in the whole cluster");
  for (const { metadata, rules = [] } of roles) {
    for (const { apiGroups, resources, resourceNames, verbs } of rules) {
      const isOfOne = resources.some((resource) => ["leases", "pods/status"].includes(resource));
      if (isOfOne && resourceNames === undefined && verbs.join() !== "create") {
        problems.push(`${metadata.name}: ${verbs.join()} ${resources.join()} of everybody`);
      }
      if ([...apiGroups, ...resources, ...verbs].includes("*")) problems.push(`${metadata.name}: a wildcard`);
      if (metadata.name.endsWith("-broker") && resources.includes("secrets")) problems.push("brokers read Secrets");
    }
  }
  return problems;
}

function affinityOf(part: string, manifests: readonly Manifest[]): object {
  const found = manifests.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === `kaas-${part}`);
  return found?.spec?.template?.spec?.affinity ?? {};
}

const listenersOf = (manifests: readonly Manifest[]): string => variableOf(manifests, "KAAS_LISTENERS");

/** What the chart makes of a rack's label: the label that brokers are told, and what they may do in the whole cluster. */
function rackOf(topologyKey: string): string {
  const manifests = helm.rendered(["--set", `rack.topologyKey=${topologyKey}`]);
  const rules = manifests.filter(({ kind }) => kind === "ClusterRole").flatMap((role) => role.rules ?? []);
  const rights = rules.map(({ resources, verbs }) => `${verbs.join()} ${resources.join()}`);
  return [variableOf(manifests, "KAAS_RACK_TOPOLOGY_KEY"), ...rights].join("; ");
}

for (const [name, values] of [
  ["as it is", []],
  ["for production", production],
  ["for one node", singleNode],
] as const) {
  rows.report(`helm lint, ${name}`, helm.lint(values));
  rows.report(`pods may do the least, ${name}`, podProblems(helm.rendered(values)));
  rows.report(`roles grant the least, ${name}`, rightProblems(helm.rendered(values)));
}
rows.report(
  "a value that makes no sense is refused by name",
  helm.lint(["--set", "replicas=0"], { fails: /replicas/ }),
);
rows.report("a value that does not exist is refused by name", helm.lint(["--set", "replica=3"], { fails: /replica/ }));
rows.report(
  "on one node the operator is where the broker's volume is",
  JSON.stringify(affinityOf("operator", helm.rendered(singleNode))).includes('"app.kubernetes.io/component":"broker"')
    ? []
    : ["it may be elsewhere"],
);
const outside = 'listeners=[{"name":"external","port":9094,"type":"tlsroute","tls":true}]';
rows.report("a listener may not take the brokers' own port", helm.lint(["--set-json", outside], { fails: /port/ }));
rows.report(
  "each broker tells its own name by the headless Service",
  listenersOf(helm.rendered([])).includes("$(MY_POD_NAME).kaas-brokers.kafka.svc")
    ? []
    : [listenersOf(helm.rendered([]))],
);
const racks = ["", "topology.kubernetes.io/zone", "example.com/room"].map(rackOf);
const racksWanted = ["", "topology.kubernetes.io/zone", "example.com/room; get nodes"];
rows.report(
  "a rack that is the zone takes no right in the whole cluster, another label the least",
  racks.join() === racksWanted.join() ? [] : racks,
);
rows.report(
  "a rack's label that Kubernetes would not take is refused by name",
  helm.lint(["--set", "rack.topologyKey=a b"], { fails: /topologyKey/ }),
);
const external =
  'listeners=[{"name":"external","port":9095,"type":"tlsroute","tls":true,"configuration":{"gateway":{"name":"edge"},"bootstrapHost":"kafka.example.com","brokerHostTemplate":"b{nodeId}.kafka.example.com","advertisedPort":443}}]';
const shown = listenersOf(helm.rendered(["--set-json", external, "--set", "tls.existingSecret=kafka-tls"]));
rows.report(
  "each broker tells its own name outside",
  shown.includes('"advertisedHost":"b$(MY_POD_INDEX).kafka.example.com","advertisedPort":443') ? [] : [shown],
);
rows.report("a listener that the API server would refuse never gets to brokers", listenerProblems(helm));
await valueRows(helm, rows);

const plane = await ControlPlane.start({ folder: `${directory}/control-plane` });
try {
  const release = ["kaas", CHART, "--namespace", "kafka", "--kubeconfig", plane.kubeconfig];
  rows.report("the API server takes it", helm.run(["install", ...release, "--create-namespace"]));
  rows.report(
    "another release does not get into its namespace",
    helm.run(["install", "second", ...release.slice(1)], { fails: /has the KafkaCluster kaas already/ }),
  );
  await definitionRows(plane, rows);
  rows.report("an upgrade to production", helm.run(["upgrade", ...release, ...production, ...withoutPrometheus]));
  rows.report("who has installed it is told where to connect to", noteProblems(helm, release));
  rows.report(
    "an upgrade to another rack",
    helm.run(["upgrade", ...release, "--set", "rack.topologyKey=example.com/room"]),
  );
  rows.report("an upgrade back", helm.run(["upgrade", ...release]));
  const token = async (): Promise<string | undefined> => {
    const secret = JSON.parse(await plane.ask("GET", "/api/v1/namespaces/kafka/secrets/kaas-peers")) as {
      data: { token?: string };
    };
    return secret.data.token;
  };
  const before = await token();
  rows.report("another upgrade", helm.run(["upgrade", ...release, "--set", "replicas=5"]));
  rows.report("the brokers' secret stays through upgrades", before === (await token()) ? [] : ["it is another"]);
  const secrets = "/api/v1/namespaces/kafka/secrets/kaas-peers";
  await plane.ask("PATCH", secrets, '{"data":null}', "application/merge-patch+json");
  rows.report("an upgrade after the brokers' secret was emptied", helm.run(["upgrade", ...release]));
  rows.report("it is filled again", ((await token()) ?? "") === "" ? ["it is empty"] : []);
  rows.report(
    "it is removed",
    helm.run(["uninstall", "kaas", "--namespace", "kafka", "--kubeconfig", plane.kubeconfig]),
  );
  const claims = await plane.ask("GET", "/api/v1/namespaces/kafka/persistentvolumeclaims");
  rows.report("the data stays when it is removed", claims.includes('"kaas-data"') ? [] : [claims]);
  rows.report(
    "it is installed on the data that is there",
    helm.run([
      "install",
      ...release,
      ...production,
      ...withoutPrometheus,
      "--set",
      "storage.data.existingClaim=kaas-data",
    ]),
  );
} finally {
  await plane.stop();
}
rows.end();
