/** Group of all custom resources of kaas. */
export const API_GROUP = "kaas.rs";

/** The one version that is served and stored. */
export const API_VERSION = "v1alpha1";

/** What `apiVersion` says of every custom resource of kaas. */
export const API_GROUP_VERSION = "kaas.rs/v1alpha1";
