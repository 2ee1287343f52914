import { describe, expect, test } from "vitest";
import { HELP, parseCommandLine } from "./command-line.js";
import { UsageError } from "./usage-error.js";

describe("the command line", () => {
  test("nothing is asked for", () => {
    expect(parseCommandLine([])).toEqual({
      help: false,
      version: false,
      memory: false,
      dataDirectory: undefined,
      listeners: undefined,
      configFile: undefined,
      overrides: [],
    });
  });

  test("everything is asked for, with and without =", () => {
    const args = ["--data-dir", "/d", "--listeners=A://:1", "--memory", "--config", "f", "-h", "--version"];
    expect(parseCommandLine([...args, "--override", "a=1", "--override=b=c=2"])).toEqual({
      help: true,
      version: true,
      memory: true,
      dataDirectory: "/d",
      listeners: "A://:1",
      configFile: "f",
      overrides: [
        { name: "a", value: "1" },
        { name: "b", value: "c=2" },
      ],
    });
  });

  test.each([
    [["--data-dri", "x"], "unknown option --data-dri; did you mean --data-dir?"],
    [["--listener=x"], "unknown option --listener; did you mean --listeners?"],
    [["--zzzzzzzzzz"], "unknown option --zzzzzzzzzz"],
    [["-x"], "Unknown option '-x'"],
    [["--data-dir"], "Option '--data-dir <value>' argument missing"],
    [["--data-dir="], "--data-dir needs a value"],
    [["--memory=yes"], "Option '--memory' does not take an argument"],
    [["--override", "a"], "--override a is not KEY=VALUE, such as --override num.partitions=6"],
    [["--override", "=a"], "--override =a is not KEY=VALUE"],
    [["start"], "unexpected argument start"],
    [["server.properties"], "unexpected argument server.properties; did you mean --config server.properties?"],
  ])("%j is refused", (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(UsageError);
    expect(() => parseCommandLine(args)).toThrow(message);
  });

  test("an override may be empty", () => {
    expect(parseCommandLine(["--override", "broker.rack="]).overrides).toEqual([{ name: "broker.rack", value: "" }]);
  });

  test("help names every option", () => {
    for (const option of ["data-dir", "listeners", "memory", "config", "override", "version", "help"]) {
      expect(HELP).toContain(`--${option}`);
    }
  });
});
