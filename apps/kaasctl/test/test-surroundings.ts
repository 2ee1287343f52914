import type { Surroundings, TextSink } from "../src/surroundings.js";

/** Surroundings that a test owns, and what was written to them. */
export function testSurroundings(
  options: {
    readonly isTerminal?: boolean;
    readonly environment?: Readonly<Record<string, string>>;
    readonly monotonic?: () => number;
    /** Called where time would pass. */
    readonly pause?: (ms: number) => Promise<void>;
  } = {},
): { readonly surroundings: Surroundings; text(): string; errors(): string } {
  const { isTerminal = false, environment = {}, monotonic = () => 0, pause = async () => undefined } = options;
  let text = "";
  let errors = "";
  const sink = (write: (more: string) => void): TextSink => ({
    isTerminal,
    columns: 80,
    isClosed: false,
    write: async (more) => write(more),
  });
  const out = sink((more) => {
    text += more;
  });
  const err = sink((more) => {
    errors += more;
  });
  let uuids = 0;
  const random = { uuid: () => String(++uuids).padStart(22, "B"), integer: () => 0 };
  const surroundings = {
    version: "1.2.3",
    environment,
    out,
    err,
    random,
    monotonic,
    pause,
    now: () => 1_700_000_000_000,
  };
  return { surroundings, text: () => text, errors: () => errors };
}
