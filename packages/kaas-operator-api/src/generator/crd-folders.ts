/** Where the definitions are kept, from the root of the repository: each has all of them. */
export const CRD_FOLDERS = ["deploy/crds", "deploy/helm/kaas/crds"] as const;
