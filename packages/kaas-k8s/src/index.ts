/** Kubernetes for kaas. */
export { type PodIdentity, podIdentity } from "./identity.js";
