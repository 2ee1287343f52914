import type { Argv } from "yargs";
import type { Manual } from "./manuals.js";

/** What a person has called: the commands are the same, how they are called is not. */
export interface Program {
  readonly name: string;
  readonly purpose: string;
  /** What help says of it as a whole. */
  readonly manual: Manual;
  /** Whether it writes scripts for completion. */
  readonly completes: boolean;
  /** Adds the options that it has beyond those of all commands. */
  addOptions(cli: Argv): Argv;
}
