import { expect, test } from "vitest";
import { checkWording } from "./wording.js";

const check = (path: string, text = "") => checkWording([{ path, text }]);

test.each(["src/utils.ts", "src/helpers/a.ts", "scripts/common.sh"])("%s says nothing", (path) => {
  expect(check(path)).toHaveLength(1);
});

test("names that say something are fine", () => {
  expect(check("src/common-prefix.ts")).toEqual([]);
});

test.each([`// ${"TO"}DO: later`, `see ${"/wo"}rk/main`, `"${"/ro"}ot/.cache"`, `https://registry.${"npm"}js.org/x`])(
  "%s is refused, with its line",
  (line) => {
    expect(check("docs/a.md", `fine\n${line}\n`).map(({ line: at }) => at)).toEqual([2]);
  },
);

test("paths that only end alike are fine", () => {
  expect(check("a.ts", `const f = "packages/work/a"; // $HOME${"/wo"}rk/x`)).toEqual([]);
});
