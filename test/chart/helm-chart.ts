import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments, stringify } from "yaml";

export const DEPLOY: string = fileURLToPath(new URL("../../deploy/", import.meta.url));
export const CHART: string = `${DEPLOY}helm/kaas`;
const KUBERNETES = ["--kube-version", "1.37.0"];

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface PodSpec {
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly affinity?: object;
  readonly volumes: readonly { readonly name: string; readonly secret?: object }[];
  readonly containers: readonly {
    readonly securityContext: Readonly<Record<string, unknown>>;
    readonly env: readonly { readonly name: string; readonly value?: string }[];
  }[];
}

/** What the chart renders, as far as it is looked at. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly rules?: readonly Rule[];
  readonly spec?: {
    readonly template?: { readonly spec?: PodSpec };
    readonly containers?: unknown;
    readonly groups?: readonly { readonly rules: readonly { readonly record?: string; readonly expr: string }[] }[];
    readonly clientsCa?: object;
  };
}

/** The chart, as Helm sees it. */
export class HelmChart {
  readonly #program: string;

  constructor(program: string) {
    this.#program = program;
  }

  /** What went wrong with a command; nothing if it ended well, or failed as it should. */
  run(args: readonly string[], options: { readonly fails?: RegExp } = {}): string[] {
    const { status, stderr, stdout } = spawnSync(this.#program, args, { encoding: "utf8" });
    const said = `${stderr}${stdout}`;
    if (options.fails === undefined) return status === 0 ? [] : [said];
    if (status === 0) return ["it was taken"];
    return options.fails.test(said) ? [] : [`it failed otherwise: ${said}`];
  }

  lint(args: readonly string[], options: { readonly fails?: RegExp } = {}): string[] {
    return this.run(["lint", CHART, ...KUBERNETES, ...args], options);
  }

  rendered(args: readonly string[], release = "kaas"): Manifest[] {
    const { stdout } = spawnSync(this.#program, template(args, release), { encoding: "utf8" });
    return parseAllDocuments(stdout)
      .map((document) => document.toJS() as Manifest | null)
      .filter((manifest) => manifest !== null);
  }

  /** What is rendered with values from a file, whose numbers Helm reads otherwise than those of a command line. */
  renderedWith(values: object, release = "kaas"): Manifest[] {
    return withFile(values, (path) => this.rendered(["--values", path], release));
  }

  /** What is wrong with values of a file. */
  refusalOf(values: object, fails: RegExp): string[] {
    return withFile(values, (path) => this.run(template(["--values", path]), { fails }));
  }

  /** What is told to whoever upgrades a release with values of a file. Only a release that is installed has notes. */
  notesOf(release: readonly string[], values: object): string {
    return withFile(values, (path) => {
      const { stdout } = spawnSync(this.#program, ["upgrade", ...release, "--values", path], { encoding: "utf8" });
      return stdout.split("\nNOTES:\n")[1] ?? "";
    });
  }
}

/** The value of a variable of the brokers; empty where it has none, or is not there. */
export function variableOf(manifests: readonly Manifest[], variable: string): string {
  const brokers = manifests.find(({ kind }) => kind === "StatefulSet");
  const variables = brokers?.spec?.template?.spec?.containers[0]?.env ?? [];
  return variables.find(({ name }) => name === variable)?.value ?? "";
}

function template(args: readonly string[], release = "kaas"): string[] {
  return ["template", release, CHART, "--namespace", "kafka", ...KUBERNETES, ...args];
}

function withFile<T>(values: object, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "kaas-values-"));
  try {
    const path = join(folder, "values.yaml");
    writeFileSync(path, stringify(values));
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
