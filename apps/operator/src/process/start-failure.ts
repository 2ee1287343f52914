import { KaasError } from "@kaas/core";

/** How a start that failed is told in the log. */
export interface StartFailure {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** What is expected to go wrong is one line that says what to do; only of what is not, where in the code it happened. */
export function startFailure(error: unknown): StartFailure {
  if (!(error instanceof KaasError)) return { fields: { err: error }, message: "the operator does not start" };
  return { fields: { code: error.code }, message: `${error.message}; the operator does not start` };
}
