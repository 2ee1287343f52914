import type { ServedApi } from "../../packages/kaas-core/src/api/api-registry.js";
import type { UnservedApi } from "../../packages/kaas-core/src/api/unserved.js";
import { apiAuthorizations } from "../../packages/kaas-core/src/api/authorization.js";
import { table } from "./section.js";

const range = (min: number, max: number): string => (min === max ? String(min) : `${min}–${max}`);

/** What is served, beside what Apache Kafka defines for the same keys. */
export function servedTable(apis: readonly ServedApi[]): string {
  const rows = apis.map(({ handler, codec }) => [
    String(handler.key),
    codec.name,
    range(handler.versionMin, handler.versionMax),
    range(codec.versionMin, codec.versionMax),
  ]);
  return table(["key", "API", "served", "Apache Kafka 3.7 to 4.4"], rows);
}

export function unservedTable(apis: readonly UnservedApi[]): string {
  return table(
    ["key", "API", "why not"],
    apis.map(({ key, name, reason }) => [String(key), name, reason]),
  );
}

/** What each API that is served asks of its client. */
export function authorizationTable(apis: readonly ServedApi[]): string {
  const rows = apis.map(({ handler, codec }) => {
    const { cluster, resources, open } = apiAuthorizations.get(handler.key) ?? {};
    const asked = resources?.map(([operation, type]) => `${operation} on ${type}`) ?? [];
    if (cluster !== undefined) asked.push(`${cluster} on CLUSTER`);
    return [codec.name, open === undefined ? asked.join(", ") : `nothing: ${open}`];
  });
  return table(["API", "asks for"], rows);
}
