/** kaasctl as a library: the command line with its streams handed in. */
export { type CommandStreams, runKaasctl } from "./run.js";
