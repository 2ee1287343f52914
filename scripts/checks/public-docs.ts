import ts from "typescript";
import type { Finding } from "./finding.js";
import { resolveRelative } from "./imports.js";
import { lineOf, type SourceFile } from "./source-files.js";

const INDEX = /^(packages|apps)\/[^/]+\/src\/index\.ts$/;

/** A name that a file exports for another one. */
interface Reexport {
  /** The file that it comes from. */
  readonly from: string;
  /** What it is called there, and here. */
  readonly name: string;
  readonly as: string;
}

/** What packages export without a word on what it is: the declaration has a doc comment, wherever it stands. */
export function checkPublicDocs(files: readonly SourceFile[]): Finding[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return files
    .filter(({ path }) => INDEX.test(path))
    .flatMap((index) => reexportsOf(index))
    .flatMap((reexport) => {
      const found = declarationsOf(byPath, reexport);
      const [first] = found;
      if (first === undefined || found.some(({ statement }) => isDocumented(statement))) return [];
      const { file, name, statement } = first;
      return [{ file: file.path, line: lineOf(file.ast, statement), message: `${name} has no doc comment` }];
    });
}

function reexportsOf({ path, ast }: SourceFile): Reexport[] {
  return ast.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) return [];
    const { moduleSpecifier, exportClause } = statement;
    if (!ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith(".")) return [];
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
    const from = resolveRelative(path, moduleSpecifier.text);
    return exportClause.elements.map(({ name, propertyName }) => ({
      from,
      name: (propertyName ?? name).text,
      as: name.text,
    }));
  });
}

interface Declaration {
  readonly file: SourceFile;
  readonly name: string;
  readonly statement: ts.Statement;
}

/** A value and a type may have one name; a file may pass on what it has from another. */
function declarationsOf(files: ReadonlyMap<string, SourceFile>, { from, name }: Reexport): Declaration[] {
  const file = files.get(from);
  if (file === undefined) return [];
  const here = file.ast.statements.filter((statement) => namesOf(statement).includes(name));
  if (here.length > 0) return here.map((statement) => ({ file, name, statement }));
  const onward = reexportsOf(file).find((one) => one.as === name);
  return onward === undefined ? [] : declarationsOf(files, onward);
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  const isNamed =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

function isDocumented(statement: ts.Statement): boolean {
  return ts.getJSDocCommentsAndTags(statement).length > 0;
}
