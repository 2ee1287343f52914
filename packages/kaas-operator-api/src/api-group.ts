/** Group of all custom resources of kaas. */
export const API_GROUP = "kaas.rs";

/** The one version that is served and stored. */
export const API_VERSION = "v1alpha1";
