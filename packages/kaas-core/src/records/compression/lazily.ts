/**
 * Loads a codec's module when it is first wanted: a broker whose topics are never compacted, recompressed or searched
 * by time needs none of them, and each costs start-up time and resident memory.
 */
export function lazily<Module>(load: () => Module): () => Module {
  let loaded: Module | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
