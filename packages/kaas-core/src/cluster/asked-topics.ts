/** The topics that a request names, by name; undefined in the place of one that it names more than once. */
export function askedTopics<Asked extends { readonly name: string }>(
  topics: readonly Asked[],
): ReadonlyMap<string, Asked | undefined> {
  const byName = new Map<string, Asked | undefined>();
  for (const topic of topics) byName.set(topic.name, byName.has(topic.name) ? undefined : topic);
  return byName;
}
