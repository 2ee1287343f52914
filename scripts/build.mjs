/**
 * Builds every package: `node scripts/build.mjs [--if-stale]`.
 *
 * Turbo decides what each package needs. With `--if-stale` a look at the source files comes first, because asking
 * turbo takes longer than starting a broker does. Plain JavaScript for the same reason: nothing to compile first.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Holds the fingerprint of the sources that were built last. */
const stamp = join(root, "node_modules/.cache/kaas/built");
const settings = ["package-lock.json", "tsconfig.base.json", "tsconfig.build.json", "tsup.base.ts", "turbo.json"];

/** Folders of the packages. */
const packages = ["packages", "apps"].flatMap((group) =>
  readdirSync(join(root, group)).map((name) => join(root, group, name)),
);

/**
 * One line for each file below a path: its name, size and time of change.
 * @param {string} path
 * @returns {string[]}
 */
function listing(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return path.endsWith(".test.ts") ? [] : [`${path} ${stat.size} ${stat.mtimeMs}`];
  if (path.endsWith("generated")) return [];
  return readdirSync(path).flatMap((entry) => listing(join(path, entry)));
}

function fingerprint() {
  const own = packages.flatMap((folder) => ["src", "package.json", "tsup.config.ts"].map((name) => join(folder, name)));
  const lines = [...settings.map((name) => join(root, name)), ...own].flatMap(listing);
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

/** @param {string} sources the fingerprint of what there is to build */
function isBuilt(sources) {
  return (
    existsSync(stamp) &&
    readFileSync(stamp, "utf8") === sources &&
    packages.every((folder) => existsSync(join(folder, "dist/index.js")))
  );
}

/** @param {string} sources the fingerprint from before the build: what changes meanwhile is built next time */
function build(sources) {
  const { status } = spawnSync(join(root, "node_modules/.bin/turbo"), ["run", "build", "--output-logs=errors-only"], {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) process.exit(status ?? 1);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, sources);
}

const sources = fingerprint();
if (!process.argv.includes("--if-stale") || !isBuilt(sources)) build(sources);
