/** A document with the generated parts replaced; what is between the markers is lost. */
export function fillSections(document: string, sections: Readonly<Record<string, string>>): string {
  return document.replace(
    /(<!-- generated: ([\w-]+), by npm run book -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => {
      const content = sections[name];
      if (content === undefined) throw new Error(`nothing generates the section ${name}`);
      return `${begin}${content}${end}`;
    },
  );
}

/** A Markdown table; cells may hold anything but line breaks. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |\n`;
  return line(header) + line(header.map(() => "---")) + rows.map(line).join("");
}

const escapeCell = (cell: string): string => cell.replaceAll("|", "\\|");
