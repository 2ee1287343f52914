import { KAFKA_CLUSTER_ASSIGNMENTS, KAFKA_CLUSTERS, KubernetesError } from "@kaas/k8s";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CERTIFICATES, SERVICES, TLS_ROUTES } from "../src/kubernetes/resources.js";
import { NAMESPACE, OperatorHarness, readyOf } from "./operator-harness.js";

const ref = (name: string) => ({ name, namespace: NAMESPACE });
const [TLS_ROUTE_V1, , TLS_ROUTE_ALPHA] = TLS_ROUTES;

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await OperatorHarness.create({ hasCluster: false });
});
afterEach(() => harness.stop());

const serviceNames = () => harness.api.all(SERVICES).map(({ metadata }) => metadata.name);
const change = async (spec: object) => {
  await harness.api.patch(KAFKA_CLUSTERS, ref("kaas"), { type: "merge", object: { spec } });
  await harness.settle();
};
const giveAddress = async (name: string, ingress: object) => {
  const object = { status: { loadBalancer: { ingress: [ingress] } } };
  await harness.api.patch(SERVICES, ref(name), { type: "merge", object }, { subresource: "status" });
  await harness.settle();
};
const outside = (type: string, configuration: object = {}, more: object = {}) => ({
  listeners: [{ name: "out", port: 9094, type, configuration, ...more }],
});
const certificate = { issuerRef: { name: "ca" } };
const edgeConfiguration = {
  gateway: { name: "g" },
  bootstrapHost: "k.example.com",
  brokerHostTemplate: "b{nodeId}.example.com",
};

describe("a cluster", () => {
  test("of one broker says so", async () => {
    await harness.start();
    await harness.createCluster({ replicas: 1 });
    expect(readyOf(harness.cluster())).toBe("True Ready: 1 broker has what it needs; listeners plain");
  });

  test("gets its KafkaClusterAssignments, once, which goes with it", async () => {
    await harness.start();
    await harness.createCluster({ replicas: 3 });
    const assignments = harness.api.peek(KAFKA_CLUSTER_ASSIGNMENTS, ref("kaas"));
    expect(assignments?.metadata.ownerReferences).toMatchObject([{ kind: "KafkaCluster", controller: true }]);
    await harness.pass(301_000);
    const creations = harness.api.calls.filter(
      ({ verb, plural }) => plural === "kafkaclusterassignments" && verb !== "get",
    );
    expect(creations).toHaveLength(1);
    expect(readyOf(harness.cluster())).toBe("True Ready: 3 brokers have what they need; listeners plain");
    expect(harness.cluster()?.status?.listeners).toEqual([
      { name: "plain", bootstrapServers: "kaas-bootstrap.kaas.svc:9092" },
    ]);
  });

  test("without the right to make its KafkaClusterAssignments is kept all the same, and says so", async () => {
    let isForbidden = true;
    harness.api.intercept = ({ verb, plural }) => {
      if (isForbidden && verb === "create" && plural === "kafkaclusterassignments") throw forbidden();
    };
    await harness.start();
    await harness.createCluster({ replicas: 1, ...outside("tlsroute", edgeConfiguration, { tls: true }), certificate });
    expect(readyOf(harness.cluster())).toMatch(/^False Pending: .*assignments is forbidden/);
    expect((await harness.addresses.read())?.listeners).toHaveLength(1);
    isForbidden = false;
    await harness.pass(16_000);
    expect(harness.api.peek(KAFKA_CLUSTER_ASSIGNMENTS, ref("kaas"))).toBeDefined();
  });

  test("of another name is none of this operator's business", async () => {
    await harness.start();
    const other = { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaCluster", metadata: ref("other") };
    const spec = outside("loadbalancer");
    await harness.api.create(KAFKA_CLUSTERS, { ...other, spec } as never);
    await harness.settle();
    expect(serviceNames()).toEqual([]);
  });
});

describe("load balancers", () => {
  test("are there for each broker, and their addresses are told once they have one", async () => {
    await harness.start();
    await harness.createCluster({ replicas: 2, ...outside("loadbalancer", { annotations: { cloud: "x" } }) });
    expect(serviceNames()).toEqual(["kaas-out-0", "kaas-out-1", "kaas-out-bootstrap"]);
    expect(harness.api.peek(SERVICES, ref("kaas-out-1"))).toMatchObject({
      metadata: { annotations: { cloud: "x" } },
      spec: {
        type: "LoadBalancer",
        selector: { "statefulset.kubernetes.io/pod-name": "kaas-1" },
        publishNotReadyAddresses: true,
        ports: [{ port: 9094, targetPort: 9094 }],
      },
    });
    expect(readyOf(harness.cluster())).toMatch(
      /^False Pending: Services without an address yet: kaas-out-bootstrap, kaas-out-0, kaas-out-1/,
    );
    await giveAddress("kaas-out-bootstrap", { hostname: "lb.example.com" });
    await giveAddress("kaas-out-0", { ip: "203.0.113.1" });
    await giveAddress("kaas-out-1", { ip: "203.0.113.2" });
    expect(readyOf(harness.cluster())).toMatch(/^True/);
    expect(harness.cluster()?.status).toMatchObject({
      replicas: 2,
      bootstrapServers: "out=lb.example.com:9094",
      listeners: [
        {
          name: "out",
          bootstrapServers: "lb.example.com:9094",
          brokers: [
            { nodeId: 0, host: "203.0.113.1", port: 9094 },
            { nodeId: 1, host: "203.0.113.2", port: 9094 },
          ],
        },
      ],
    });
    expect(await harness.addresses.read()).toEqual({
      generation: expect.any(Number),
      listeners: [
        {
          name: "out",
          brokers: [
            { nodeId: 0, host: "203.0.113.1", port: 9094 },
            { nodeId: 1, host: "203.0.113.2", port: 9094 },
          ],
        },
      ],
    });
  });

  test("are not made of what is there under their name, nor is that removed", async () => {
    await harness.start();
    const mine = { apiVersion: "v1", kind: "Service", metadata: ref("kaas-out-0"), spec: { type: "ClusterIP" } };
    await harness.api.create(SERVICES, mine);
    await harness.createCluster({ replicas: 1, ...outside("loadbalancer") });
    expect(readyOf(harness.cluster())).toMatch(/^False NameTaken: Service kaas-out-0: there already, not made for/);
    expect(harness.api.peek(SERVICES, ref("kaas-out-0"))).toMatchObject({ spec: { type: "ClusterIP" } });
    await change({ listeners: [{ name: "plain", port: 9092, type: "internal" }] });
    expect([serviceNames(), readyOf(harness.cluster()).slice(0, 4)]).toEqual([["kaas-out-0"], "True"]);
    await change({ ...outside("loadbalancer") });
    await harness.api.delete(SERVICES, ref("kaas-out-0"));
    await harness.pass(301_000);
    expect(serviceNames()).toEqual(["kaas-out-0", "kaas-out-bootstrap"]);
  });

  test("that are not needed any more go, those of others stay", async () => {
    await harness.start();
    await harness.createCluster({ replicas: 2, ...outside("loadbalancer") });
    const foreign = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...ref("foreign"), labels: { "kaas.rs/cluster": "kaas" } },
    };
    await harness.api.create(SERVICES, foreign);
    await change({ replicas: 1 });
    expect(serviceNames()).toEqual(["foreign", "kaas-out-0", "kaas-out-bootstrap"]);
    await change({ listeners: [{ name: "plain", port: 9092, type: "internal" }] });
    expect(serviceNames()).toEqual(["foreign"]);
    expect((await harness.addresses.read())?.listeners ?? []).toEqual([]);
  });
});

describe("ports of nodes", () => {
  test("are told as the nodes have them; whose node it is, a broker knows itself", async () => {
    await harness.start();
    await harness.createCluster(
      outside("nodeport", { nodePorts: [{ nodeId: 0, nodePort: 30_100 }], bootstrapNodePort: 30_099 }),
    );
    expect(harness.api.peek(SERVICES, ref("kaas-out-0"))?.spec?.ports?.[0]).toMatchObject({ nodePort: 30_100 });
    expect((await harness.addresses.read())?.listeners).toEqual([
      { name: "out", brokers: [{ nodeId: 0, host: null, port: 30_100 }] },
    ]);
    expect(harness.cluster()?.status?.listeners?.[0]?.bootstrapServers).toBe("<any node>:30099");
  });
});

describe("a Gateway", () => {
  const configuration = {
    gateway: { name: "edge", namespace: "gateways", sectionName: "tls" },
    bootstrapHost: "kafka.example.com",
    brokerHostTemplate: "broker-{nodeId}.kafka.example.com",
    advertisedPort: 443,
  };
  const spec = { replicas: 2, ...outside("tlsroute", configuration, { tls: true }) };

  test("is told which name leads to which broker", async () => {
    await harness.start();
    await harness.createCluster(spec);
    expect(harness.api.all(TLS_ROUTE_V1 as never)).toMatchObject([
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        metadata: { name: "kaas-out-0" },
        spec: {
          parentRefs: [configuration.gateway],
          hostnames: ["broker-0.kafka.example.com"],
          rules: [{ backendRefs: [{ name: "kaas-out-0", port: 9094 }] }],
        },
      },
      { metadata: { name: "kaas-out-1" } },
      { metadata: { name: "kaas-out-bootstrap" }, spec: { hostnames: ["kafka.example.com"] } },
    ]);
    expect(harness.cluster()?.status?.listeners?.[0]).toMatchObject({
      bootstrapServers: "kafka.example.com:443",
      brokers: [{ host: "broker-0.kafka.example.com", port: 443 }, {}],
    });
  });

  test("that is older is told in its own version", async () => {
    harness.api.intercept = ({ verb, plural }) => {
      const tried = harness.api.calls.filter((call) => call.verb === "list" && call.plural === "tlsroutes").length;
      if (verb === "list" && plural === "tlsroutes" && tried <= 2) throw notFound();
    };
    await harness.start();
    await harness.createCluster(spec);
    const [route] = harness.api.all(TLS_ROUTE_ALPHA as never);
    expect(route).toMatchObject({ apiVersion: "gateway.networking.k8s.io/v1alpha2" });
  });

  test("that is not there at all is told in words", async () => {
    harness.api.missingGroups.add("gateway.networking.k8s.io");
    await harness.start();
    await harness.createCluster(spec);
    expect(readyOf(harness.cluster())).toMatch(/^False GatewayApiMissing/);
  });

  test("that goes is looked for again, as another version of it may have come", async () => {
    await harness.start();
    await harness.createCluster(spec);
    harness.api.missingGroups.add("gateway.networking.k8s.io");
    await change({ replicas: 3 });
    await harness.pass(4_000);
    expect(readyOf(harness.cluster())).toMatch(/^False GatewayApiMissing/);
    harness.api.missingGroups.clear();
    await harness.pass(16_000);
    expect(harness.api.all(TLS_ROUTE_V1 as never)).toHaveLength(4);
  });
});

describe("certificates", () => {
  test("have every name that clients know brokers by", async () => {
    await harness.start();
    await harness.createCluster({
      certificate: { issuerRef: { name: "ca" }, dnsNames: ["extra.example.com"] },
      listeners: [
        { name: "in", port: 9093, type: "internal", tls: true },
        { name: "out", port: 9094, type: "loadbalancer", tls: true },
      ],
    });
    await giveAddress("kaas-out-0", { ip: "203.0.113.1" });
    await giveAddress("kaas-out-bootstrap", { hostname: "lb.example.com" });
    expect(harness.api.peek(CERTIFICATES, ref("kaas-broker-tls"))).toMatchObject({
      spec: {
        secretName: "kaas-broker-tls",
        issuerRef: { name: "ca", kind: "Issuer", group: "cert-manager.io" },
        dnsNames: [
          "*.kaas-brokers",
          "*.kaas-brokers.kaas",
          "*.kaas-brokers.kaas.svc",
          "*.kaas-brokers.kaas.svc.cluster.local",
          "extra.example.com",
          "kaas-bootstrap",
          "kaas-bootstrap.kaas",
          "kaas-bootstrap.kaas.svc",
          "kaas-bootstrap.kaas.svc.cluster.local",
          "lb.example.com",
        ],
        ipAddresses: ["203.0.113.1"],
      },
    });
    expect(readyOf(harness.cluster())).toMatch(/^False Pending: Certificate kaas-broker-tls is not issued yet/);
    const object = { status: { conditions: [{ type: "Ready", status: "True" }] } };
    await harness.api.patch(CERTIFICATES, ref("kaas-broker-tls"), { type: "merge", object }, { subresource: "status" });
    await harness.pass(16_000);
    expect(readyOf(harness.cluster())).toMatch(/^True/);
  });

  test("need cert-manager", async () => {
    harness.api.missingGroups.add("cert-manager.io");
    await harness.start();
    await harness.createCluster({ certificate: { issuerRef: { name: "ca" } } });
    expect(readyOf(harness.cluster())).toMatch(/^False CertManagerMissing/);
  });
});

describe("a listener that cannot be had", () => {
  const edge = { name: "edge", port: 9096, type: "tlsroute", tls: true, configuration: edgeConfiguration };
  const ports = (first: number) => ({ bootstrapNodePort: first, nodePorts: [{ nodeId: 0, nodePort: first + 1 }] });
  const out = { name: "out", port: 9095, type: "nodeport", tls: true, configuration: ports(30_100) };
  const taken = { name: "taken", port: 9097, type: "nodeport", configuration: ports(30_200) };
  const ofTaken = async () => {
    const mine = { apiVersion: "v1", kind: "Service", metadata: ref("kaas-taken-0"), spec: { type: "ClusterIP" } };
    await harness.api.create(SERVICES, mine);
  };
  const others = async () => ({
    told: (await harness.addresses.read())?.listeners.map(({ name }) => name),
    status: harness.cluster()?.status?.listeners?.map(({ name }) => name),
    certificate: harness.api.peek(CERTIFICATES, ref("kaas-broker-tls")) !== undefined,
  });

  test("as its name is taken, holds up neither the addresses nor the certificate of the others", async () => {
    await ofTaken();
    await harness.start();
    await harness.createCluster({ replicas: 1, certificate, listeners: [taken, out] });
    expect(readyOf(harness.cluster())).toMatch(/^False NameTaken: Service kaas-taken-0: there already/);
    expect(await others()).toEqual({ told: ["out"], status: ["out"], certificate: true });
    expect(harness.cluster()?.status?.replicas).toBe(0);
    await harness.api.delete(SERVICES, ref("kaas-taken-0"));
    await harness.pass(16_000);
    expect(readyOf(harness.cluster())).toMatch(/^False Pending: Certificate kaas-broker-tls/);
    expect((await others()).told).toEqual(["taken", "out"]);
  });

  test("as there is no Gateway API, does not either", async () => {
    harness.api.missingGroups.add("gateway.networking.k8s.io");
    await harness.start();
    await harness.createCluster({ replicas: 1, certificate, listeners: [edge, out] });
    expect(readyOf(harness.cluster())).toMatch(
      /^False GatewayApiMissing: .*; Certificate kaas-broker-tls is not issued/,
    );
    expect(await others()).toMatchObject({ told: ["edge", "out"], certificate: true });
  });

  test("as the API server refuses what it asks for, does not either, and is tried again", async () => {
    let isRefused = true;
    harness.api.intercept = ({ verb, name }) => {
      if (isRefused && verb === "patch" && name === "kaas-taken-0") throw invalid();
    };
    await harness.start();
    await harness.createCluster({ replicas: 1, certificate, listeners: [taken, out] });
    expect(readyOf(harness.cluster())).toMatch(/^False Failed: listener taken: .*port is already allocated/);
    expect(await others()).toEqual({ told: ["out"], status: ["taken", "out"], certificate: true });
    isRefused = false;
    await harness.pass(16_000);
    expect((await others()).told).toEqual(["taken", "out"]);
  });

  test("lets go what another listener had, which may be what it asks for", async () => {
    await harness.start();
    await harness.createCluster({ replicas: 1, listeners: [taken] });
    let refusals = 0;
    harness.api.intercept = ({ verb, name }) => {
      if (verb !== "patch" || name !== "kaas-out-0") return;
      if (harness.api.peek(SERVICES, ref("kaas-taken-0")) === undefined) return;
      refusals++;
      throw invalid();
    };
    await change({ certificate, listeners: [out] });
    expect([refusals, serviceNames()]).toEqual([1, ["kaas-out-0", "kaas-out-bootstrap"]]);
  });
});

function notFound(): KubernetesError {
  return new KubernetesError("list tlsroutes", { code: 404, reason: "NotFound", message: "page not found" });
}

function invalid(): KubernetesError {
  const message = "provided port is already allocated";
  return new KubernetesError("patch services", { code: 422, reason: "Invalid", message });
}

function forbidden(): KubernetesError {
  const message = "kafkaclusterassignments is forbidden";
  return new KubernetesError("create", { code: 403, reason: "Forbidden", message });
}
