import type { HelmChart } from "./helm-chart.js";

const edge = { gateway: { name: "edge" }, bootstrapHost: "k.example.com", brokerHostTemplate: "b{nodeId}.example.com" };
const { gateway: _, ...hosts } = edge;

const internal = { name: "a", port: 9092, type: "internal" };
const refused: readonly (readonly [RegExp, ...object[]])[] = [
  [/two have the port 9092/, internal, { ...internal, name: "b" }],
  [/needs tls: true/, { ...internal, authentication: { type: "plain" } }],
  [/needs tls: true/, { ...internal, type: "tlsroute", configuration: edge }],
  [/needs configuration\.gateway/, { ...internal, type: "tlsroute", tls: true, configuration: hosts }],
  [/this one is internal/, { ...internal, configuration: hosts }],
  [/this one is internal/, { ...internal, configuration: {} }],
  [/gateway is only for tlsroute/, { ...internal, type: "nodeport", configuration: edge }],
  [
    /loadBalancerClass is only for loadbalancer/,
    { ...internal, type: "nodeport", configuration: { loadBalancerClass: "x" } },
  ],
  [
    /externalTrafficPolicy is only for loadbalancer and nodeport/,
    { ...internal, type: "tlsroute", tls: true, configuration: { ...edge, externalTrafficPolicy: "Local" } },
  ],
  [/nodePorts is only for nodeport/, { ...internal, type: "loadbalancer", configuration: { nodePorts: [] } }],
];

/** Rules of a KafkaCluster's listeners that the chart does not know, or has wrong. */
export function listenerProblems(chart: HelmChart): string[] {
  const fine = [
    internal,
    {
      ...internal,
      name: "b",
      port: 9093,
      type: "nodeport",
      configuration: { nodePorts: [], externalTrafficPolicy: "Local" },
    },
    { ...internal, name: "c", port: 9095, type: "tlsroute", tls: true, configuration: edge },
  ];
  const tls = { existingSecret: "mine" };
  return [
    ...refused.flatMap(([fails, ...listeners]) => chart.refusalOf({ listeners, tls }, fails)),
    ...(chart.renderedWith({ listeners: fine, tls }).length > 0 ? [] : ["what is fine is refused"]),
  ];
}
