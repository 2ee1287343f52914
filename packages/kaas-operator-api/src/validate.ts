import type * as z from "zod";
import { API_GROUP_VERSION } from "./api-group.js";
import type { KafkaCluster } from "./kafka-cluster.js";
import type { KafkaClusterAssignments } from "./kafka-cluster-assignments.js";
import type { KafkaTopic } from "./kafka-topic.js";
import type { KafkaUser } from "./kafka-user.js";
import { describeIssue, pathText } from "./issue-text.js";
import { RESOURCE_KINDS, type ResourceDefinition, type ResourceKind, resourceDefinitions } from "./resources.js";

/** A custom resource of kaas, its defaults filled in. */
export type KaasResource = KafkaTopic | KafkaUser | KafkaCluster | KafkaClusterAssignments;

/** Something that is wrong with a resource. */
export interface ResourceProblem {
  /** Where, such as `spec.listeners[0].port`; empty for the resource as a whole. */
  readonly path: string;
  /** What, such as `must be at least 1`. */
  readonly message: string;
}

/** Either a resource whose defaults are filled in, or all that is wrong with it. */
export type ValidationResult =
  | { readonly ok: true; readonly resource: KaasResource }
  | { readonly ok: false; readonly problems: readonly ResourceProblem[] };

/**
 * Says of any object whether it is a custom resource of kaas that the API server would take, by the same schemas and
 * rules, with two differences: a field that nobody knows is a problem here, where the API server drops it without a word,
 * and all problems are named at once.
 *
 * @param object what was read from YAML or JSON
 * @param previous the same resource as it is now, for the rules about changes: partitions do not become fewer
 */
export function validateResource(object: unknown, previous?: unknown): ValidationResult {
  const definition = definitionOf(object);
  if (definition === undefined) return { ok: false, problems: [unknownKind(object)] };
  const parsed = definition.schema.safeParse(object);
  if (!parsed.success) return { ok: false, problems: schemaProblems(parsed.error, object) };
  const problems = [
    ...ruleProblems(definition, parsed.data),
    ...(previous === undefined ? [] : transitionProblems(definition, parsed.data, previous)),
  ];
  return problems.length === 0 ? { ok: true, resource: parsed.data as KaasResource } : { ok: false, problems };
}

/** One line for each problem, such as `spec.partitions: must be at least 1`. */
export function formatProblems(problems: readonly ResourceProblem[]): string {
  return problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("\n");
}

function definitionOf(object: unknown): ResourceDefinition | undefined {
  if (typeof object !== "object" || object === null) return undefined;
  const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
  if (apiVersion !== API_GROUP_VERSION || !isKind(kind)) return undefined;
  return resourceDefinitions[kind];
}

function isKind(kind: unknown): kind is ResourceKind {
  return (RESOURCE_KINDS as readonly unknown[]).includes(kind);
}

function unknownKind(object: unknown): ResourceProblem {
  const { apiVersion, kind } = (object ?? {}) as { apiVersion?: unknown; kind?: unknown };
  const found = `${JSON.stringify(apiVersion) ?? "no apiVersion"}, ${JSON.stringify(kind) ?? "no kind"}`;
  const kinds = RESOURCE_KINDS.join(", ");
  return { path: "", message: `is no resource of kaas (${found}): wants ${API_GROUP_VERSION} and one of ${kinds}` };
}

function schemaProblems(error: z.ZodError, object: unknown): ResourceProblem[] {
  return error.issues.flatMap((issue) => describeIssue(issue, object));
}

function ruleProblems({ rules }: ResourceDefinition, resource: unknown): ResourceProblem[] {
  return rules.flatMap(({ at, message, holds }) =>
    valuesAt(resource, at)
      .filter(({ value }) => !holds(value))
      .map(({ path }) => ({ path: pathText(path), message })),
  );
}

function transitionProblems({ transitions, schema }: ResourceDefinition, resource: unknown, previous: unknown) {
  const parsed = schema.safeParse(previous);
  if (!parsed.success) return []; // What was wrong before may become anything that is right.
  return transitions.flatMap(({ at, message, permits }) => {
    const [now] = valuesAt(resource, at);
    const [before] = valuesAt(parsed.data, at);
    if (now === undefined || before === undefined || permits(now.value, before.value)) return [];
    return [{ path: pathText(now.path), message }];
  });
}

interface Located {
  readonly path: readonly PropertyKey[];
  readonly value: unknown;
}

/** What is at a place, `*` standing for every element of a list. */
function valuesAt(value: unknown, at: readonly string[], path: readonly PropertyKey[] = []): Located[] {
  const [first, ...rest] = at;
  if (value === undefined) return [];
  if (first === undefined) return [{ path, value }];
  if (first === "*") return (value as unknown[]).flatMap((item, index) => valuesAt(item, rest, [...path, index]));
  return valuesAt((value as Record<string, unknown>)[first], rest, [...path, first]);
}
