/** Where the definitions are kept, from the root of the repository: each has all of them. */
export const CRD_FOLDERS = ["deploy/crds", "deploy/helm/kaas/crds"] as const;

/** The schema of the chart's values, which has what a listener's configuration may be. */
export const VALUES_SCHEMA = "deploy/helm/kaas/values.schema.json";
