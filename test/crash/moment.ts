// What clients know of before and after: by it, what was acknowledged when the power went is told from what was not.
import type { AnswerPlace } from "../lib/wire-client.js";

export type Moment = {
  /** Whether the broker had sent that answer. */
  answered(place: AnswerPlace): boolean;
  /** Whether what was asked for at that mark, or later, may have been under way. */
  asked(mark: number): boolean;
};

/** After everything: all that was answered counts. */
export const AT_LAST: Moment = { answered: () => true, asked: () => true };

/** Where a recorder of the broker is; what is asked for afterwards comes later there. */
export type Mark = () => number;

/** A change that was asked for: certain once it is answered, possible from when it was asked. */
export type Change<Value> = { readonly value: Value; readonly askedAt: number; answer: AnswerPlace | undefined };

/** Of changes that follow each other: the last that is certain, and those after it that are possible. */
export function possible<Value>(
  changes: readonly Change<Value>[],
  moment: Moment,
): { certain: Value | undefined; values: readonly Value[] } {
  const last = changes.findLastIndex(({ answer }) => answer !== undefined && moment.answered(answer));
  const values = changes
    .filter(({ askedAt }, index) => index >= Math.max(0, last) && (index === last || moment.asked(askedAt)))
    .map(({ value }) => value);
  return { certain: changes[last]?.value, values };
}
