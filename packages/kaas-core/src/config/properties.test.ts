import { describe, expect, test } from "vitest";
import { parseProperties } from "./properties.js";

const pairs = (text: string): [string, string][] => parseProperties(text).map(({ name, value }) => [name, value]);

describe("properties", () => {
  test.each<[string, string, [string, string][]]>([
    [
      "equals, colon and space separate",
      "a=1\nb:2\nc 3\nd\t4",
      [
        ["a", "1"],
        ["b", "2"],
        ["c", "3"],
        ["d", "4"],
      ],
    ],
    [
      "space around a separator is not of the value",
      "  a  =  1\n\tb : 2",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    [
      "only the first separator counts",
      "a=b=c\nlisteners=PLAINTEXT://:9092",
      [
        ["a", "b=c"],
        ["listeners", "PLAINTEXT://:9092"],
      ],
    ],
    ["space at the end is of the value", "a=1  ", [["a", "1  "]]],
    [
      "a name alone has an empty value",
      "a\nb=",
      [
        ["a", ""],
        ["b", ""],
      ],
    ],
    ["comments and blank lines", "# a=1\n  ! b=2\n\n \t\nc=3 # not a comment", [["c", "3 # not a comment"]]],
    [
      "a line goes on after a backslash",
      "a=1,\\\n   2,\\\n   3\nb=4",
      [
        ["a", "1,2,3"],
        ["b", "4"],
      ],
    ],
    [
      "two backslashes are one, and end the line",
      "a=c:\\\\\nb=2",
      [
        ["a", "c:\\"],
        ["b", "2"],
      ],
    ],
    ["a comment does not go on", "# x \\\na=1", [["a", "1"]]],
    ["a comment sign inside a continued line is text", "a=1\\\n#2", [["a", "1#2"]]],
    ["a name may hold escaped separators", "a\\=b\\:c\\ d=1", [["a=b:c d", "1"]]],
    ["escapes", "a=\\t\\n\\r\\f\\q\\\\", [["a", "\t\n\r\fq\\"]]],
    ["unicode escapes", "a=\\u00e9\\uD83D\\uDE00", [["a", "é😀"]]],
    ["text is UTF-8", "a=é😀", [["a", "é😀"]]],
    [
      "every line ending",
      "a=1\r\nb=2\rc=3\n",
      [
        ["a", "1"],
        ["b", "2"],
        ["c", "3"],
      ],
    ],
    ["a byte order mark is skipped", "\uFEFFa=1", [["a", "1"]]],
    ["a backslash at the very end", "a=1\\", [["a", "1"]]],
    [
      "a name twice is told twice, in order",
      "a=1\na=2",
      [
        ["a", "1"],
        ["a", "2"],
      ],
    ],
  ])("%s", (_, text, expected) => {
    expect(pairs(text)).toEqual(expected);
  });

  test("each knows its line", () => {
    const text = "# first\na=1\nb=2\\\n  3\nc=4";
    expect(parseProperties(text).map(({ name, line }) => `${name}:${line}`)).toEqual(["a:2", "b:3", "c:5"]);
  });

  test("a malformed escape names its line", () => {
    expect(() => parseProperties("a=1\nb=\\u12x4")).toThrow("line 2: \\u needs four hexadecimal digits");
  });
});
