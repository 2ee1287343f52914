/** What a tool said may be long; a row is one line. */
const PROBLEM_CHARACTERS_MAX = 1_000;

/**
 * What a suite looks at, row by row: prints the ok and FAIL lines that the shell library counts (`tally` in suite.sh), and
 * at the end the line `done`, without which a suite counts as broken off.
 */
export class Rows {
  readonly #only: readonly string[];
  #failed = 0;

  /** @param only the names of the rows that are wanted; empty: all */
  constructor(only: readonly string[] = []) {
    this.#only = only;
  }

  get failed(): number {
    return this.#failed;
  }

  /** Runs a row, if it is wanted, which tells what it found or throws what is wrong. */
  async run(name: string, look: () => Promise<string>): Promise<void> {
    if (this.#only.length > 0 && !this.#only.includes(name)) return;
    const began = performance.now();
    try {
      const found = await look();
      this.report(`${name}: ${found} (${((performance.now() - began) / 1_000).toFixed(1)} s)`, []);
    } catch (error) {
      this.report(name, [(error as Error).message]);
    }
  }

  /** Tells what is wrong with something, if anything is; of many things the first three. */
  report(name: string, problems: readonly string[]): void {
    if (problems.length === 0) return console.log(`ok    ${name}`);
    this.#failed++;
    const rest = problems.length > 3 ? `; ${problems.length} in all` : "";
    const told = problems.slice(0, 3).join("; ").replaceAll("\n", " ").slice(0, PROBLEM_CHARACTERS_MAX);
    console.log(`FAIL  ${name}: ${told}${rest}`);
  }

  /** After the last row: ends the process. */
  end(): never {
    console.log("done");
    process.exit(this.#failed === 0 ? 0 : 1);
  }
}
