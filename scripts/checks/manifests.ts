import type { Finding } from "./finding.js";
import type { TextFile } from "./source-files.js";

interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly type?: string;
  readonly license?: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface ManifestFile {
  readonly path: string;
  readonly manifest: Manifest;
}

const EXACT = /^(npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;

function dependenciesOf({ dependencies, optionalDependencies, peerDependencies, devDependencies }: Manifest) {
  return Object.entries({ ...dependencies, ...optionalDependencies, ...peerDependencies, ...devDependencies });
}

/** Names with a row of their own in the book's table of dependencies. */
export function documentedDependencies(markdown: string): string[] {
  return [...markdown.matchAll(/^\| `([^`]+)` \|.*\S.*\|$/gm)].map((match) => match[1] ?? "");
}

/** Manifests that disagree with one another or with the book: each dependency is exact, and has its reason. */
export function checkManifests(files: readonly TextFile[], markdown: string): Finding[] {
  const manifests = files.map(({ path, text }): ManifestFile => ({ path, manifest: JSON.parse(text) as Manifest }));
  const versions = new Map(manifests.map(({ manifest }) => [manifest.name, manifest.version]));
  const documented = new Set(documentedDependencies(markdown));
  const used = new Set(manifests.flatMap(({ manifest }) => dependenciesOf(manifest).map(([name]) => name)));
  return [
    ...manifests.flatMap((file) => [...checkFields(file), ...checkVersions(file, versions, documented)]),
    ...[...documented]
      .filter((name) => !used.has(name))
      .map((name) => ({ file: "docs/dependencies.md", message: `${name} is no dependency` })),
  ];
}

function checkFields({ path, manifest }: ManifestFile): Finding[] {
  const expected: readonly (readonly [string, unknown, unknown])[] = [
    ["type", manifest.type, "module"],
    ["license", manifest.license, "Apache-2.0"],
    ["engines.node", manifest.engines?.node, ">=20.19"],
  ];
  return expected
    .filter(([, actual, wanted]) => actual !== wanted)
    .map(([field, , wanted]) => ({ file: path, message: `${field} must be ${String(wanted)}` }));
}

function checkVersions(
  { path, manifest }: ManifestFile,
  versions: ReadonlyMap<string, string | undefined>,
  documented: ReadonlySet<string>,
): Finding[] {
  return dependenciesOf(manifest).flatMap(([name, version]) => {
    const problems: string[] = [];
    if (!EXACT.test(version)) problems.push(`${name}: ${version} is not one exact version`);
    if (versions.has(name)) {
      if (versions.get(name) !== version) problems.push(`${name}: ${version} is not what the workspace holds`);
    } else if (!documented.has(name)) problems.push(`${name} has no reason in docs/dependencies.md`);
    return problems.map((message) => ({ file: path, message }));
  });
}
