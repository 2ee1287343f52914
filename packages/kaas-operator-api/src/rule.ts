/**
 * A rule that no schema can say, in CEL for the API server and in TypeScript for everybody else. Both must say the same:
 * the tests hold them against one another with the same resources.
 */
export interface ResourceRule {
  /** Where it holds, `*` standing for every element of a list; empty for the resource as a whole. */
  readonly at: readonly string[];
  readonly cel: string;
  readonly message: string;
  readonly holds: (self: unknown) => boolean;
}

/** A rule about what may become of what: asked only where there was something before. */
export interface TransitionRule extends Omit<ResourceRule, "holds"> {
  readonly permits: (self: unknown, oldSelf: unknown) => boolean;
}

export interface ResourceRules {
  readonly rules: readonly ResourceRule[];
  readonly transitions: readonly TransitionRule[];
}

/** States a rule in the type of what it is about. */
export function rule<Self>(at: string, message: string, cel: string, holds: (self: Self) => boolean): ResourceRule {
  return { at: pathOf(at), cel, message, holds: (self) => holds(self as Self) };
}

export function transition<Self>(
  at: string,
  message: string,
  cel: string,
  permits: (self: Self, oldSelf: Self) => boolean,
): TransitionRule {
  return { at: pathOf(at), cel, message, permits: (self, oldSelf) => permits(self as Self, oldSelf as Self) };
}

function pathOf(at: string): readonly string[] {
  return at === "" ? [] : at.split(".");
}
