/**
 * A control plane of Kubernetes from the command line, for suites that are shell scripts.
 *
 *     tsx test/kubernetes/main.ts start FOLDER [COMPONENT…]   prints the path of the kubeconfig
 *     tsx test/kubernetes/main.ts kill FOLDER COMPONENT…
 *     tsx test/kubernetes/main.ts stop FOLDER
 */
import { COMPONENTS, type Component } from "./components.js";
import { ControlPlane, stopAll } from "./control-plane.js";
import { kill } from "./processes.js";

const [action, folder, ...names] = process.argv.slice(2);
const components = names.filter((name): name is Component => COMPONENTS.some((component) => component === name));
if (folder === undefined || components.length < names.length) usage();
if (action === "start") console.log((await ControlPlane.start({ folder, components })).kubeconfig);
else if (action === "kill") for (const component of components) await kill(folder, component);
else if (action === "stop") await stopAll(folder);
else usage();

function usage(): never {
  console.error(`usage: main.ts start|kill|stop FOLDER [COMPONENT…]\ncomponents: ${COMPONENTS.join(" ")}`);
  process.exit(2);
}
