import { expect, test } from "vitest";
import { parse } from "yaml";
import { testSurroundings } from "../../test/test-surroundings.js";
import { renderFindings } from "./findings.js";
import { Output } from "./output.js";
import { ProgressBar, progressLine } from "./progress-bar.js";
import { styleFor } from "./style.js";
import { renderFields, renderTable } from "./table.js";

const plain = styleFor(testSurroundings().surroundings, testSurroundings().surroundings.out);

test("columns are as wide as what is in them, numbers stand to the right", () => {
  const columns = [
    { title: "NAME", cell: (row: readonly [string, number]): string => row[0] },
    { title: "N", isNumber: true, cell: (row: readonly [string, number]): string => String(row[1]) },
  ];
  expect(
    renderTable(
      columns,
      [
        ["orders", 5],
        ["a", 1000],
      ],
      plain,
    ),
  ).toBe("NAME       N\norders     5\na       1000\n");
  expect(renderTable(columns, [], plain)).toBe("NAME  N\n");
  expect(
    renderFields(
      [
        ["a", "1"],
        ["long", "2"],
      ],
      plain,
    ),
  ).toBe("a     1\nlong  2\n");
});

test("a list is one document in every format, however long it is", async () => {
  const written = async (format: "table" | "json" | "yaml", items: readonly unknown[]): Promise<string> => {
    const { surroundings, text } = testSurroundings();
    const list = await new Output(format, surroundings.out).list();
    for (const item of items) await list.item(item, () => `${JSON.stringify(item)}\n`);
    await list.end();
    return text();
  };
  for (const items of [[], [{ a: 1 }], [{ a: 1 }, { b: ["x: y", null] }]]) {
    expect(JSON.parse(await written("json", items))).toEqual(items);
    expect(parse(await written("yaml", items))).toEqual(items);
    expect(await written("table", items)).toBe(items.map((item) => `${JSON.stringify(item)}\n`).join(""));
  }
});

test("colours are for terminals that want them", () => {
  const styled = (isTerminal: boolean, environment: Record<string, string>): string => {
    const { surroundings } = testSurroundings({ isTerminal, environment });
    return styleFor(surroundings, surroundings.out).severity("error", "bad");
  };
  expect(styled(true, {})).toBe("\u001b[31mbad\u001b[0m");
  expect([styled(false, {}), styled(true, { NO_COLOR: "1" }), styled(true, { TERM: "dumb" })]).toEqual([
    "bad",
    "bad",
    "bad",
  ]);
  expect(styled(true, { NO_COLOR: "" })).toContain("\u001b");
});

test("a finding says what, where, what it means and what to do", () => {
  const one = {
    severity: "error",
    code: "claim-missing",
    file: "/v/t/0/1.claim",
    message: "M",
    meaning: "W",
    advice: "D",
  } as const;
  expect(renderFindings([one], plain)).toBe("error /v/t/0/1.claim\n    M\n    W\n    → D (claim-missing)\n");
});

test("progress is shown on a terminal, after a while, not all the time, and goes away", async () => {
  let now = 0;
  const bar = (isTerminal: boolean) => {
    const { surroundings, errors } = testSurroundings({ isTerminal, monotonic: () => now });
    return { bar: new ProgressBar(surroundings), errors };
  };
  const shown = bar(true);
  const hidden = bar(false);
  const step = (atMs: number): void => {
    now = atMs;
    for (const one of [shown, hidden]) one.bar.update({ at: "t/0", done: atMs, total: 10_000 });
  };
  step(100);
  expect(shown.errors()).toBe("");
  step(600);
  step(610);
  expect(shown.errors().split("\r")).toHaveLength(2);
  await shown.bar.clear();
  expect(shown.errors().endsWith("\r\u001b[K")).toBe(true);
  await hidden.bar.clear();
  expect(hidden.errors()).toBe("");
});

test("what grows while it is read is never more than all of it", () => {
  expect(progressLine({ at: "t/0", done: 1024, total: 2048 }, 1_000)).toBe(
    "[############------------]  50%  1.0 KiB of 2.0 KiB, 1.0 KiB/s  t/0",
  );
  expect(progressLine({ at: "t/0", done: 4096, total: 2048 }, 1_000)).toContain("] 100%  4.0 KiB of 4.0 KiB");
  expect(progressLine({ at: "", done: 0, total: 0 }, 0)).toContain("]   0%");
});
