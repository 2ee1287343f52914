/** Where a command reads what it needs to know about its surroundings, and writes to. */
export interface CommandStreams {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
}

/** Runs one command line; resolves with the exit code. */
export async function runKaasctl(args: readonly string[], streams: CommandStreams): Promise<number> {
  streams.out(`${args.join(" ")}\n`);
  return 2;
}
