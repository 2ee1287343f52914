import { expect, test } from "vitest";
import { checkLinks } from "./links.js";

const paths = new Set(["README.md", "docs/a.md", "packages/core/DESIGN.md"]);
const targets = (path: string, text: string) => checkLinks([{ path, text }], paths).map(({ message }) => message);

test("links are followed from where they stand, to files and folders", () => {
  expect(targets("docs/a.md", "[b](../packages/core/DESIGN.md) [c](../packages/core/) [d](../README.md#top)")).toEqual(
    [],
  );
  expect(targets("docs/a.md", "[b](packages/core/DESIGN.md)")).toEqual(["packages/core/DESIGN.md is not there"]);
});

test("links to other sites and within the page are not looked at", () => {
  expect(targets("README.md", "[a](https://kafka.apache.org/) [b](#part)")).toEqual([]);
});
