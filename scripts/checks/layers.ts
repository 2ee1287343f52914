import type { Finding } from "./finding.js";
import { importsOf } from "./imports.js";
import { isTest, type SourceFile } from "./source-files.js";

/** Who may import whom. A package that is not named here may not exist. */
const SIBLINGS: Readonly<Record<string, readonly string[]>> = {
  "packages/kaas-core": [],
  "packages/kaas-storage": ["@kaas/core"],
  "packages/kaas-operator-api": [],
  "packages/kaas-k8s": ["@kaas/core", "@kaas/operator-api"],
  "apps/broker": ["@kaas/core", "@kaas/storage", "@kaas/k8s"],
  "apps/operator": ["@kaas/core", "@kaas/storage", "@kaas/k8s", "@kaas/operator-api"],
  "apps/kaasctl": ["@kaas/core", "@kaas/storage"],
};

const packageOf = (path: string): string => path.split("/").slice(0, 2).join("/");
const nameOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Imports that go against the direction of the packages, or past a package's front door. */
export function checkLayers(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) => {
    const home = packageOf(file.path);
    const siblings = SIBLINGS[home];
    if (siblings === undefined) {
      return [{ file: file.path, message: `${home} is not in the table of who may import whom` }];
    }
    return importsOf(file).flatMap(({ specifier, line }) => {
      const message = objection(file.path, home, siblings, specifier);
      return message === undefined ? [] : [{ file: file.path, line, message }];
    });
  });
}

function objection(path: string, home: string, siblings: readonly string[], specifier: string): string | undefined {
  if (specifier.startsWith(".")) {
    const depth = path.split("/").length - 3; // folders between the package and the file
    const leaves = specifier.split("/").filter((part) => part === "..").length > depth;
    return leaves ? `${specifier} leaves the package; import it by its name` : undefined;
  }
  const name = nameOf(specifier);
  if (!name.startsWith("@kaas/")) return undefined;
  if (!siblings.includes(name)) return `${home} must not import ${name}`;
  if (specifier !== name && specifier !== `${name}/internal`) return `${specifier} is not exported; import ${name}`;
  return undefined;
}

/** Test files that source files import: what only tests need must not be shipped. */
export function checkTestsStayTests(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => !isTest(path))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => /\.test\.js$|(^|\/)(test|testing)\//.test(specifier))
        .map(({ specifier, line }) => ({ file: file.path, line, message: `${specifier} is a test` })),
    );
}
