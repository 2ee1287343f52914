import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};

test("every suite that .ci/run finds is an npm script", () => {
  for (const file of readdirSync(new URL("test/suites/", root))) {
    expect(scripts[`test:${file.replace(/^\d+-|\.sh$/g, "")}`]).toBe(`bash test/suites/${file}`);
  }
});
