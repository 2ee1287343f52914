import type { Difference } from "./compare.js";
import type { Context } from "./context.js";
import type { KnownDifferences } from "./known-difference.js";

const SHOWN_MAX = 12;

/** What one field differs in, over the versions in which it does. */
interface Finding extends Difference {
  readonly versions: string[];
}

interface Case {
  readonly versions: string[];
  readonly findings: Map<string, Finding>;
}

/** Prints one line a case, all of its versions together, and what is not on the list below it. */
export class Report {
  failed = 0;
  readonly #known: KnownDifferences;
  readonly #asked = new Set<string>();

  constructor(known: KnownDifferences) {
    this.#known = known;
  }

  scenario(name: string, byLabel: ReadonlyMap<string, readonly Difference[]>, sides: readonly Context[]): void {
    for (const side of sides) for (const api of side.asked) this.#asked.add(api);
    const cases = new Map<string, Case>();
    for (const [label, differences] of byLabel) {
      const [, text = label, version = ""] = /^(.*?)(?: v(-?\d+))?$/.exec(label) ?? [];
      const one: Case = cases.get(text) ?? { versions: [], findings: new Map() };
      cases.set(text, one);
      one.versions.push(version);
      for (const difference of differences) {
        if (this.#known.has(`${name}: ${text}`, difference)) continue;
        const key = JSON.stringify(difference);
        const finding = one.findings.get(key) ?? { ...difference, versions: [] };
        one.findings.set(key, finding);
        finding.versions.push(version);
      }
    }
    for (const [text, { versions, findings }] of cases)
      this.#case(`${name}: ${text}`, versions, [...findings.values()]);
  }

  ranToTheEnd(name: string, [kafka, kaas]: readonly [Context, Context]): void {
    this.#line(kafka.failure === undefined && kaas.failure === undefined, `${name}: ran to its end`);
    for (const [side, { failure }] of [
      ["kafka", kafka],
      ["kaas", kaas],
    ] as const) {
      if (failure !== undefined) console.log(`        ${side}: ${failure}`);
    }
  }

  everyApiWasAsked(names: readonly string[]): void {
    const missing = names.filter((name) => !this.#asked.has(name));
    this.#line(missing.length === 0, `every served API was asked${missing.map((name) => ` ${name}`).join()}`);
  }

  everyEntryIsUsed(): void {
    const unused = this.#known.unused();
    this.#line(unused.length === 0, "what is listed as a difference is one");
    for (const { where, path, reason } of unused) console.log(`        no longer: ${where} ${path} (${reason})`);
  }

  #case(name: string, versions: readonly string[], findings: readonly Finding[]): void {
    this.#line(findings.length === 0, `${name}${range(versions)}`);
    for (const { path, kafka, kaas, versions: in_ } of findings.slice(0, SHOWN_MAX)) {
      console.log(`        ${path}${range(in_)}: kafka ${kafka}, kaas ${kaas}`);
    }
    if (findings.length > SHOWN_MAX) console.log(`        and ${findings.length - SHOWN_MAX} more`);
  }

  #line(isRight: boolean, text: string): void {
    if (!isRight) this.failed += 1;
    console.log(`${isRight ? "ok   " : "FAIL "} ${text}`);
  }
}

function range(versions: readonly string[]): string {
  const first = versions[0] ?? "";
  if (first === "") return "";
  return versions.length === 1 ? ` (v${first})` : ` (v${first}-${versions.at(-1)}, ${versions.length} versions)`;
}
