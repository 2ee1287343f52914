/** Prints the lines that the suites' shell library counts. */
export class Report {
  ok(name: string): void {
    console.log(`ok    ${name}`);
  }

  fail(name: string, why: string): void {
    console.log(`FAIL  ${name}`);
    console.log(`        ${why}`);
  }

  /** One check; `problem` is what is wrong, or undefined. */
  check(name: string, problem: string | undefined): void {
    if (problem === undefined) this.ok(name);
    else this.fail(name, problem);
  }

  async attempt(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
      this.ok(name);
    } catch (error) {
      this.fail(name, (error as Error).message.split("\n").slice(0, 6).join("\n        "));
    }
  }

  note(text: string): void {
    console.log(`# ${text}`);
  }

  done(): void {
    console.log("done");
  }
}
