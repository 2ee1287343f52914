import { KaasError } from "@kaas/core";
import { type Choose, createCli } from "./cli.js";
import { ClusterError } from "./client/cluster-error.js";
import { completionsFor } from "./completions.js";
import { manuals } from "./manuals.js";
import type { Program } from "./program.js";
import { type Action, EXIT, type ExitCode, type GlobalOptions, Session } from "./session.js";
import type { Surroundings } from "./surroundings.js";
import { UsageError } from "./usage-error.js";

const HELP_WIDTH_MAX = 110;
/** What says nothing of the volume, but of how it was asked for. */
const CALLERS_FAULT: ReadonlySet<string> = new Set(["KAAS_VOLUME_LOCKED", "KAAS_CONFIG_INVALID"]);

const KAASCTL: Program = {
  name: "kaasctl",
  purpose: "looks at a kaas cluster, verifies and repairs its volume",
  manual: manuals["kaasctl"] ?? { summary: "", examples: [] },
  completes: true,
  addOptions: (cli) => cli,
};

/** Runs one command line, writes what it has to say, and resolves with the exit code. Never rejects for what a user did. */
export function runKaasctl(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const perform = async ({ action, options }: Chosen): Promise<ExitCode> => {
    const session = new Session(surroundings, options);
    try {
      return await action(session);
    } finally {
      await session.close();
    }
  };
  return runProgram(KAASCTL, surroundings, () => run(KAASCTL, args, surroundings, perform));
}

/** What a command line asks for. */
interface Chosen {
  readonly action: Action;
  readonly options: GlobalOptions;
}

/** Does the work of a program. What a user did wrong, or a volume has, is written and becomes the exit code. */
export async function runProgram(
  { name }: Program,
  { err }: Surroundings,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === undefined) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof UsageError ? `\nTry ${name} --help.` : "";
    await err.write(`${name}: ${message}${hint}\n`);
    return code;
  }
}

/** Understands a command line, and has it carried out. Help and the like are answered at once. */
export async function run(
  program: Program,
  args: readonly string[],
  surroundings: Surroundings,
  perform: (chosen: Chosen) => Promise<ExitCode>,
): Promise<ExitCode> {
  // What the script of `completion` calls: the words so far, the name of the command first.
  if (program.completes && args[0] === "--get-yargs-completions") {
    const names = await completionsFor(args.slice(2), surroundings);
    await surroundings.out.write(names.map((name) => `${name}\n`).join(""));
    return EXIT.SOUND;
  }
  let chosen: Chosen | undefined;
  const text = await parse(program, args, surroundings, (action, options) => {
    chosen = { action, options };
  });
  // Help, version and completion are what yargs has to say by itself.
  if (text !== "") await surroundings.out.write(`${text}\n`);
  return chosen === undefined ? EXIT.SOUND : perform(chosen);
}

async function parse(
  program: Program,
  args: readonly string[],
  { version, out }: Surroundings,
  choose: Choose,
): Promise<string> {
  const cli = createCli(program, version, Math.min(out.columns ?? 80, HELP_WIDTH_MAX), choose);
  let text = "";
  await cli.parseAsync([...args], {}, (error, _argv, output) => {
    if (error instanceof UsageError) throw error;
    text = output;
  });
  return text;
}

/** Undefined for defects of our own. */
function exitCodeOf(error: unknown): ExitCode | undefined {
  if (error instanceof UsageError) return EXIT.USAGE;
  if (error instanceof ClusterError) return EXIT.UNSOUND;
  if (error instanceof KaasError) return CALLERS_FAULT.has(error.code) ? EXIT.USAGE : EXIT.UNSOUND;
  const isRefusal = error instanceof Error && typeof (error as { code?: unknown }).code === "string";
  return isRefusal ? EXIT.UNSOUND : undefined;
}
