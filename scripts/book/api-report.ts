import ts from "typescript";

/**
 * The public interface of a package as text: every name that its entry exports, with its declaration, comments left
 * out. A change of the interface is thereby a change of a file that somebody reviews. Reads the declarations that the
 * build wrote.
 */
export function apiReport(entry: string): string {
  const program = ts.createProgram([entry], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    skipLibCheck: true,
  });
  const source = program.getSourceFile(entry);
  const checker = program.getTypeChecker();
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} is no module; is the package built?`);
  return checker
    .getExportsOfModule(module)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((symbol) => declarationsOf(resolveAlias(symbol, checker)))
    .join("\n");
}

function resolveAlias(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

const printer = ts.createPrinter({ removeComments: true });

function declarationsOf(symbol: ts.Symbol): string[] {
  return (symbol.declarations ?? []).map((declaration) => {
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    const text = printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
    return `${text.replace(/^export (declare )?/, "")}\n`;
  });
}
