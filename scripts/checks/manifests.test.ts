import { expect, test } from "vitest";
import { checkManifests } from "./manifests.js";

const base = { type: "module", license: "Apache-2.0", engines: { node: ">=20.19" } };
const file = (path: string, manifest: object) => ({ path, text: JSON.stringify({ ...base, ...manifest }) });
const core = file("packages/core/package.json", { name: "core", version: "1.2.0" });
const book = "| package | why |\n|---|---|\n| `zod` | checks files |\n";
const messages = (manifest: object, markdown = book) =>
  checkManifests([core, file("app/package.json", { name: "app", ...manifest })], markdown).map(
    ({ message }) => message,
  );

test("exact versions with a reason pass, and siblings need none", () => {
  expect(messages({ dependencies: { zod: "4.6.7", core: "1.2.0" } })).toEqual([]);
  expect(messages({ devDependencies: { zod: "npm:other@4.6.7" } })).toEqual([]);
});

test.each(["^4.6.7", "~4.6.7", "4.x", "*", "latest", ">=4"])("%s is not exact", (version) => {
  expect(messages({ optionalDependencies: { zod: version } })).toEqual([`zod: ${version} is not one exact version`]);
});

test("a sibling is wanted as the workspace holds it", () => {
  expect(messages({ dependencies: { zod: "4.6.7", core: "1.1.0" } })).toEqual([
    "core: 1.1.0 is not what the workspace holds",
  ]);
});

test("no dependency without a reason, no reason without a dependency", () => {
  expect(messages({ dependencies: { zod: "4.6.7", yargs: "18.2.0" } })).toEqual([
    "yargs has no reason in docs/dependencies.md",
  ]);
  expect(messages({})).toEqual(["zod is no dependency"]);
});

test("fields that every package has alike", () => {
  expect(messages({ dependencies: { zod: "4.6.7" }, license: "MIT" })).toEqual(["license must be Apache-2.0"]);
});
