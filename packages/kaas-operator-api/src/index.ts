/** The custom resources of kaas. */
export { API_GROUP, API_VERSION } from "./api-group.js";
