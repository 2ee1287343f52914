import { SoleBroker } from "../../src/cluster/sole-broker.js";

/** A cluster of broker 1 alone, which is reached at 127.0.0.1:9092. */
export function soleBroker(): SoleBroker {
  const view = new SoleBroker({ nodeId: 1, name: "kaas-1", incarnation: "i", rack: null });
  view.advertise([{ listenerName: "PLAINTEXT", host: "127.0.0.1", port: 9092 }]);
  return view;
}
