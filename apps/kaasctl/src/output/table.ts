import type { Style } from "./style.js";

/** A column of a table. Numbers stand to the right. */
export interface Column<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => string;
}

/** Rows under their titles, each column as wide as its widest cell. Nothing but the titles when there are no rows. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], style: Style): string {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)));
  const line = (texts: readonly string[]): string => lineOf(columns, widths, texts);
  return [style.bold(line(columns.map(({ title }) => title))), ...cells.map(line)].map((text) => `${text}\n`).join("");
}

/** One line of a table whose widths are known beforehand, as for rows that come one by one. */
export function lineOf(
  columns: readonly Pick<Column<never>, "isNumber">[],
  widths: readonly number[],
  texts: readonly string[],
): string {
  return columns
    .map(({ isNumber = false }, at) => {
      const text = texts[at] ?? "";
      const width = widths[at] ?? 0;
      return isNumber ? text.padStart(width) : text.padEnd(width);
    })
    .join("  ")
    .trimEnd();
}

/** Names and values, one pair a line. */
export function renderFields(fields: readonly (readonly [string, string])[], style: Style): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${style.bold(name.padEnd(width))}  ${value}\n`).join("");
}
