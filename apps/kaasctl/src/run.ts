import { KaasError } from "@kaas/core";
import { type Choose, createCli } from "./cli.js";
import { completionsFor } from "./completions.js";
import { EXIT, type ExitCode, type GlobalOptions, type Action, Session } from "./session.js";
import type { Surroundings } from "./surroundings.js";
import { UsageError } from "./usage-error.js";

const HELP_WIDTH_MAX = 110;
/** What says nothing of the volume, but of how it was asked for. */
const CALLERS_FAULT: ReadonlySet<string> = new Set(["KAAS_VOLUME_LOCKED", "KAAS_CONFIG_INVALID"]);

/** Runs one command line, writes what it has to say, and resolves with the exit code. Never rejects for what a user did. */
export async function runKaasctl(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  try {
    return await run(args, surroundings);
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === undefined) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof UsageError ? "\nTry kaasctl --help." : "";
    await surroundings.err.write(`kaasctl: ${message}${hint}\n`);
    return code;
  }
}

async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  // What the script of `completion` calls: the words so far, the name of the command first.
  if (args[0] === "--get-yargs-completions") {
    const names = await completionsFor(args.slice(2), surroundings.environment);
    await surroundings.out.write(names.map((name) => `${name}\n`).join(""));
    return EXIT.SOUND;
  }
  let chosen: { readonly action: Action; readonly options: GlobalOptions } | undefined;
  const text = await parse(args, surroundings, (action, options) => {
    chosen = { action, options };
  });
  // Help, version and completion are what yargs has to say by itself.
  if (text !== "") await surroundings.out.write(`${text}\n`);
  if (chosen === undefined) return EXIT.SOUND;
  return chosen.action(new Session(surroundings, chosen.options));
}

async function parse(args: readonly string[], { version, out }: Surroundings, choose: Choose): Promise<string> {
  const cli = createCli(version, Math.min(out.columns ?? 80, HELP_WIDTH_MAX), choose);
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
  if (error instanceof KaasError) return CALLERS_FAULT.has(error.code) ? EXIT.USAGE : EXIT.UNSOUND;
  const isRefusal = error instanceof Error && typeof (error as { code?: unknown }).code === "string";
  return isRefusal ? EXIT.UNSOUND : undefined;
}
