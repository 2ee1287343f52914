import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Loads a native module when it is first wanted: a broker whose topics are never compacted, recompressed or searched by
 * time needs none of them, and each costs start-up time and resident memory.
 */
export function lazily<Module>(name: string): () => Module {
  let loaded: Module | undefined;
  return () => {
    loaded ??= require(name) as Module;
    return loaded;
  };
}
