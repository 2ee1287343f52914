/** kaasctl as a library: the command line, with the process around it handed in. */
export { runKaasctl } from "./run.js";
export type { ExitCode } from "./session.js";
export type { Surroundings, TextSink } from "./surroundings.js";
