import { compileFunction } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { includesVersion, parseVersions, type VersionRange } from "../schema.js";
import {
  choose,
  chooseStatement,
  condition,
  covers,
  guarded,
  intersect,
  isEmpty,
  span,
  without,
} from "./version-range.js";

const arbitraryRange: fc.Arbitrary<VersionRange> = fc
  .tuple(fc.nat(8), fc.nat(8))
  .map(([first, last]) => ({ first, last: last - 1 }));
const versions = Array.from({ length: 10 }, (_, version) => version);

/** The versions of a range, for comparing with what set arithmetic gives. */
const members = (range: VersionRange): number[] => versions.filter((version) => includesVersion(range, version));

test.each([
  ["3", { first: 3, last: 3 }],
  ["3-7", { first: 3, last: 7 }],
  ["3+", { first: 3, last: Number.POSITIVE_INFINITY }],
])("%s is read as Kafka writes it", (text, expected) => {
  expect(parseVersions(text)).toEqual(expected);
});

test.each(["none", "", "3-", "x"])("%j has no versions", (text) => {
  expect(isEmpty(parseVersions(text))).toBe(true);
});

describe("arithmetic is that of sets", () => {
  test("intersect, covers, without", () => {
    fc.assert(
      fc.property(arbitraryRange, arbitraryRange, (a, b) => {
        const [inA, inB] = [members(a), members(b)];
        expect(members(intersect(a, b))).toEqual(inA.filter((version) => inB.includes(version)));
        expect(covers(a, b)).toBe(inB.every((version) => inA.includes(version)));
        const rest = inA.filter((version) => !inB.includes(version));
        const isOneRun = rest.every((version, index) => index === 0 || version === (rest[index - 1] as number) + 1);
        const difference = without(a, b);
        if (isOneRun) expect(difference && members(difference)).toEqual(rest);
        else expect(difference).toBeUndefined();
      }),
    );
  });

  test("span is the smallest range that holds both", () => {
    fc.assert(
      fc.property(arbitraryRange, arbitraryRange, (a, b) => {
        const all = [...members(a), ...members(b)];
        const expected = versions.filter((version) => version >= Math.min(...all) && version <= Math.max(...all));
        expect(members(span(a, b))).toEqual(expected);
      }),
    );
  });

  test("a condition is true within its range, wherever the version can be", () => {
    fc.assert(
      fc.property(arbitraryRange, arbitraryRange, (range, known) => {
        const holds = compileFunction(`return ${condition(range, known)};`, ["version"]);
        for (const version of members(known)) expect(holds(version)).toBe(includesVersion(range, version));
      }),
    );
  });
});

describe("code is as short as what is known allows", () => {
  const known = { first: 0, last: 9 };

  test.each([
    ["0+", "true"],
    ["none", "false"],
    ["3+", "version >= 3"],
    ["0-3", "version <= 3"],
    ["3", "version === 3"],
    ["3-5", "version >= 3 && version <= 5"],
  ])("condition of %s", (range, expected) => {
    expect(condition(parseVersions(range), known)).toBe(expected);
  });

  test("choices that are decided are not made", () => {
    expect(choose("true", "a", "b")).toBe("a");
    expect(choose("false", "a", "b")).toBe("b");
    expect(choose("version >= 3", "a", "a")).toBe("a");
    expect(choose("version >= 3", "a", "b")).toBe("version >= 3 ? a : b");
    expect(chooseStatement("version >= 3", "a();\n", "b();\n")).toBe("if (version >= 3) a();\nelse b();\n");
    expect(chooseStatement("false", "a();\n", "b();\n")).toBe("b();\n");
  });

  test("neighbours under the same condition share one if", () => {
    const parts = [
      { when: "true", code: "a();\n" },
      { when: "version >= 3", code: "b();\n" },
      { when: "false", code: "never();\n" },
      { when: "version >= 3", code: "c();\n" },
      { when: "version >= 5", code: "d();\n" },
    ];
    expect(guarded(parts)).toBe("a();\nif (version >= 3) {\nb();\nc();\n}\nif (version >= 5) {\nd();\n}\n");
  });
});
