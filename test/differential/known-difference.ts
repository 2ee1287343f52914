// The form of what known-differences.ts lists.
import type { Difference } from "./compare.js";

/** A difference that is meant, and why. Names are globs: `*` is any run of characters. */
export interface KnownDifference {
  /** `scenario: case`, without the version. */
  readonly where: string;
  /** Path of the field in the answer. */
  readonly path: string;
  /** What they answer, as the report shows it; anything when left out. */
  readonly kafka?: string;
  readonly kaas?: string;
  readonly reason: string;
}

/** The list as it is used up by what is found. */
export class KnownDifferences {
  readonly #entries: { readonly known: KnownDifference; readonly fits: readonly (readonly [keyof Found, RegExp])[] }[];
  readonly #used = new Set<KnownDifference>();

  constructor(list: readonly KnownDifference[]) {
    this.#entries = list.map((known) => {
      const globs = [
        ["where", known.where],
        ["path", known.path],
        ["kafka", known.kafka],
        ["kaas", known.kaas],
      ] as const;
      return {
        known,
        fits: globs.flatMap(([name, glob]) => (glob === undefined ? [] : [[name, expression(glob)] as const])),
      };
    });
  }

  /** Whether the list has it; the entries that do are used from then on. */
  has(where: string, difference: Difference): boolean {
    const found: Found = { where, ...difference };
    const fitting = this.#entries.filter(({ fits }) => fits.every(([name, glob]) => glob.test(found[name])));
    for (const { known } of fitting) this.#used.add(known);
    return fitting.length > 0;
  }

  /** Entries that nothing was found for. */
  unused(): KnownDifference[] {
    return this.#entries.map(({ known }) => known).filter((known) => !this.#used.has(known));
  }
}

interface Found extends Difference {
  readonly where: string;
}

function expression(glob: string): RegExp {
  const parts = glob.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}
