import type { ListQuery, Selection, WatchQuery } from "./kubernetes-api.js";
import { apiVersionOf, type ObjectRef, type Resource } from "./resource.js";

/** What a change is asked for with. */
interface ChangeQuery {
  readonly fieldManager?: string;
  readonly force?: boolean;
  readonly isDryRun?: boolean;
  readonly subresource?: "status";
}

/** Path of one object, or, with an empty name, of all of them. */
export function objectPath(resource: Resource, { namespace, name }: ObjectRef, change: ChangeQuery = {}): string {
  const parts = [collectionPath(resource, namespace)];
  if (name !== "") parts.push(encodeURIComponent(name));
  if (change.subresource !== undefined) parts.push(change.subresource);
  return withQuery(parts.join("/"), {
    fieldManager: change.fieldManager,
    force: change.force === true ? "true" : undefined,
    dryRun: change.isDryRun === true ? "All" : undefined,
  });
}

export function listPath(resource: Resource, query: ListQuery): string {
  return withQuery(collectionPath(resource, query.namespace), {
    ...selectors(query),
    limit: query.limit?.toString(),
    continue: query.continue,
  });
}

export function watchPath(resource: Resource, query: WatchQuery): string {
  return withQuery(collectionPath(resource, query.namespace), {
    ...selectors(query),
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion: query.resourceVersion,
    timeoutSeconds: query.timeoutSeconds.toString(),
  });
}

function collectionPath(resource: Resource, namespace: string | undefined): string {
  const root = `${resource.group === "" ? "/api" : "/apis"}/${apiVersionOf(resource)}`;
  const scope = resource.isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${scope}/${resource.plural}`;
}

const selectors = ({ labelSelector, fieldSelector }: Selection): Record<string, string | undefined> => ({
  labelSelector,
  fieldSelector,
});

function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
