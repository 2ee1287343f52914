/** The command line asks for something that there is not: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
