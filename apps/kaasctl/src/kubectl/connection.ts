import { UsageError } from "../usage-error.js";

/** Which cluster and which pod of it. What is not said is what kubectl takes by itself. */
export interface Connection {
  readonly namespace?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly pod?: string;
}

const FLAGS: Readonly<Record<string, keyof Connection>> = {
  "-n": "namespace",
  "--namespace": "namespace",
  "--context": "context",
  "--kubeconfig": "kubeconfig",
  "--pod": "pod",
};

/**
 * What is for kubectl, wherever it stands in a command line, and what is left for kaasctl.
 *
 * @throws UsageError for an option without its value
 */
export function splitArguments(args: readonly string[]): { readonly connection: Connection; readonly rest: string[] } {
  const connection: { -readonly [Key in keyof Connection]: Connection[Key] } = {};
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = (args[at] ?? "").replace(/^-n(?=[^=])/, "-n=");
    const [name = "", ...values] = word.split("=");
    const flag = FLAGS[name];
    if (flag === undefined) {
      rest.push(word);
      continue;
    }
    const value = values.length > 0 ? values.join("=") : args[++at];
    if (value === undefined || value === "") throw new UsageError(`${name} wants a value`);
    connection[flag] = value;
  }
  return { connection, rest };
}

/** The same for kubectl. */
export function connectionArguments({ namespace, context, kubeconfig }: Connection): string[] {
  const pairs = [
    ["--kubeconfig", kubeconfig],
    ["--context", context],
    ["--namespace", namespace],
  ] as const;
  return pairs.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
}
