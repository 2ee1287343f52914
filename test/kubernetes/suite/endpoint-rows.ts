import { EndpointWatch, NodeLabel, ReadinessGate, ZONE_LABEL } from "@kaas/k8s";
import { until } from "../../lib/until.js";
import { expect, NAMESPACE, QUICK, type Stage, SURROUNDINGS } from "./stage.js";

const CORE = `/api/v1/namespaces/${NAMESPACE}`;

function pod(name: string) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "kaas" } },
    spec: {
      nodeName: "node-1",
      readinessGates: [{ conditionType: "kaas.rs/PartitionsReady" }],
      containers: [{ name: "broker", image: "kaas" }],
    },
  };
}

/** Pods behind a headless Service, whose readiness is what their brokers say. */
export async function endpoints(stage: Stage): Promise<string> {
  const { plane } = stage;
  const api = await stage.connect();
  // Published before they are ready, so that brokers find one another.
  const service = {
    metadata: { name: "brokers" },
    spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: { app: "kaas" }, ports: [{ port: 9092 }] },
  };
  await plane.ask("POST", `${CORE}/services`, JSON.stringify(service));
  // The controllers make it, and no pod is taken before that.
  await until("the namespace has a service account", () =>
    plane.ask("GET", `${CORE}/serviceaccounts/default`).then(
      () => true,
      () => false,
    ),
  );
  for (const name of ["kaas-0", "kaas-1"]) await plane.ask("POST", `${CORE}/pods`, JSON.stringify(pod(name)));

  const self = { name: "kaas-1", ordinal: 1, set: "kaas", namespace: NAMESPACE };
  const watch = new EndpointWatch({ api, self, service: "brokers", timing: QUICK, ...SURROUNDINGS });
  watch.start();
  stage.atEnd(() => watch.stop());
  const state = (): string => watch.registry.broker(0)?.state ?? "gone";
  await until("the other broker is listed, fenced", () => state() === "fenced");
  expect(watch.registry.broker(1)?.state === "serving", "a broker is not sure of itself");
  const gate = new ReadinessGate({ api, pod: { ...self, name: "kaas-0", ordinal: 0 }, ...SURROUNDINGS });
  stage.atEnd(() => gate.stop());
  gate.set({ isReady: true, message: "all 3 partitions are open" });
  await until("it serves", () => state() === "serving");
  // The controller that lists it hears of pods and nodes in watches of their own.
  await until("its zone is known", () => watch.registry.broker(0)?.zone !== undefined);
  const { addresses, nodeName, zone } = watch.registry.broker(0) ?? {};
  expect(nodeName === "node-1" && zone === "zone-b", `it is on ${nodeName} in ${zone}`);
  const label = new NodeLabel({ api, nodeName: "node-1", key: ZONE_LABEL, known() {}, ...SURROUNDINGS });
  label.start();
  stage.atEnd(() => label.stop());
  await until("the node's own label says the same", () => label.value === zone);
  expect(addresses?.[0]?.startsWith("10.244.") === true, `its addresses are ${addresses?.join()}`);
  gate.set({ isReady: false, message: "2 of 3 partitions are open" });
  await until("it is fenced", () => state() === "fenced");
  await plane.ask("DELETE", `${CORE}/pods/kaas-0`);
  await until("it is gone", () => state() === "gone");
  return "serving, fenced and gone, as the pods say";
}
