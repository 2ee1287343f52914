import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { brokerConfigDefinitions } from "../../../packages/kaas-core/src/config/broker-config-definitions.js";
import { topicConfigDefinitions } from "../../../packages/kaas-core/src/config/topic-config-definitions.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Everything that a broker consists of, but for the tables of configurations themselves. */
function sources(): string {
  const folders = ["packages/kaas-core/src", "packages/kaas-storage/src", "apps/broker/src"];
  const files = folders.flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  );
  const isSource = (file: string): boolean =>
    file.endsWith(".ts") &&
    !file.endsWith(".test.ts") &&
    !/\/(generated|testing)\/|config-definitions|broker-configs-/.test(file);
  return files
    .filter(isSource)
    .map((file) => readFileSync(`${root}${file}`, "utf8"))
    .join("\n");
}

const text = sources();
const isRead = (name: string): boolean => text.includes(`"${name}"`);

/** Names whose value is another configuration's when that one has none. */
const fallbacks = new Set(
  brokerConfigDefinitions.flatMap((definition) => definition.fallbacks ?? []).map(({ name }) => name),
);
/** Defaults of topics that are honoured. */
const topicDefaults = new Set(
  topicConfigDefinitions.filter(({ standing }) => standing === "honoured").map(({ brokerConfig }) => brokerConfig),
);

test("every broker configuration that is said to be honoured is read somewhere", () => {
  const unread = brokerConfigDefinitions
    .filter(({ standing }) => standing === "honoured")
    .filter(({ name }) => !isRead(name) && !fallbacks.has(name) && !topicDefaults.has(name));
  expect(unread.map(({ name }) => name)).toEqual([]);
});

test("every topic configuration that is said to be honoured is read somewhere", () => {
  const unread = topicConfigDefinitions.filter(({ name, standing }) => standing === "honoured" && !isRead(name));
  expect(unread.map(({ name }) => name)).toEqual([]);
});

test("none that is said to do nothing is read", () => {
  const read = [...brokerConfigDefinitions, ...topicConfigDefinitions]
    .filter(({ standing }) => standing === "accepted")
    // Compared with one another, so that a topic cannot be given what Kafka would refuse.
    .filter(({ name }) => !/^(min|max)\.compaction\.lag\.ms$/.test(name))
    .filter(({ name }) => isRead(name) && !["interval.ms", "match", "metrics"].includes(name));
  expect(read.map(({ name }) => name)).toEqual([]);
});
