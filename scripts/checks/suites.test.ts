import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};

test("every suite that .ci/run finds is an npm script, and every such script is a suite", () => {
  const suites = readdirSync(new URL("test/suites/", root)).map((file) => {
    const name = file.replace(/^\d+-|\.sh$/g, "");
    return [`test:${name}`, `bash test/suites/${file}`];
  });
  expect(Object.entries(scripts).filter(([name]) => name.startsWith("test:"))).toEqual(suites);
});
