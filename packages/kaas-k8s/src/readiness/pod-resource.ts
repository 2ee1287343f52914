import type { Resource } from "../api/resource.js";

export const PODS: Resource = { group: "", version: "v1", kind: "Pod", plural: "pods", isNamespaced: true };
