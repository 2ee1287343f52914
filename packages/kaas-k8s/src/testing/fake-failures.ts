import type { Clock } from "@kaas/core";
import type { CallOptions, Status } from "../api/kubernetes-api.js";
import { unreachable } from "../api/kubernetes-error.js";

export type Verb = "get" | "list" | "watch" | "create" | "replace" | "patch" | "delete";

/** A call, before it is done. */
export interface FakeCall {
  readonly verb: Verb;
  /** Such as `kafkatopics`. */
  readonly plural: string;
  /** Undefined for lists and watches. */
  readonly name: string | undefined;
}

/** What goes wrong with a call. `lost-answer`: it is done, and the answer never comes. */
export type Failure = Status | "unreachable" | "hang" | "lost-answer";

/** What is to go wrong. */
export class FakeFailures {
  readonly #planned: { readonly matches: (call: FakeCall) => boolean; readonly failure: Failure; left: number }[] = [];

  add(call: Partial<FakeCall>, failure: Failure, times: number): void {
    const wanted = Object.entries(call) as [keyof FakeCall, string][];
    const matches = (actual: FakeCall): boolean => wanted.every(([field, value]) => actual[field] === value);
    this.#planned.push({ matches, failure, left: times });
  }

  /** What goes wrong with this call, which counts. */
  next(call: FakeCall): Failure | undefined {
    const next = this.#planned.find(({ matches, left }) => left > 0 && matches(call));
    if (next !== undefined) next.left--;
    return next?.failure;
  }
}

/** Waits for an answer that never comes. */
export async function hang(clock: Clock, verb: Verb, { signal, timeoutMs }: CallOptions): Promise<never> {
  return await new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
    if (timeoutMs === undefined) return;
    clock.schedule(timeoutMs, () => reject(unreachable(verb, `no answer within ${timeoutMs} ms`)));
  });
}
