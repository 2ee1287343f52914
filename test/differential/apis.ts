// The served APIs by Kafka's names, from kaas's own registry: a version that is added there is compared here.
import { apiHandlers } from "../../packages/kaas-core/src/api/index.js";
import type { ApiCodec } from "../../packages/kaas-core/src/messages/api-codec.js";
import { apiCodecs } from "../../packages/kaas-core/src/messages/generated/index.js";

const byName = new Map(apiCodecs.map((codec) => [codec.name, codec]));

export function apiNamed(name: string): ApiCodec {
  const codec = byName.get(name);
  if (codec === undefined) throw new Error(`there is no API ${name}`);
  return codec;
}

/** The versions that kaas serves, cut to `from` and `to`. */
export function versionsOf(name: string, from = 0, to = 99): number[] {
  const { key } = apiNamed(name);
  const handler = apiHandlers.find((served) => served.key === key);
  if (handler === undefined) throw new Error(`${name} is not served`);
  const count = handler.versionMax - handler.versionMin + 1;
  return Array.from({ length: count }, (_, i) => handler.versionMin + i).filter((v) => v >= from && v <= to);
}

export const servedNames: readonly string[] = apiHandlers.map(
  ({ key }) => apiCodecs.find((codec) => codec.key === key)?.name ?? String(key),
);
