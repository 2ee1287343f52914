/** A guard taken out of the sources, to see that the simulation notices. */
export interface Mutation {
  readonly name: string;
  /** Below `packages/kaas-storage/src/`. */
  readonly file: string;
  readonly edits: readonly { readonly find: string; readonly replace: string }[];
}

export const mutations: readonly Mutation[] = [
  {
    name: "zeros-over-data-in-flight",
    file: "partition/committer.ts",
    edits: [
      {
        find: "cycle.active.preallocation?.advance(cycle.active.segment.sizeBytes);",
        replace: "cycle.active.preallocation?.advance(cycle.endPosition);",
      },
    ],
  },
  {
    name: "checkpoint-covers-unwritten-bytes",
    file: "partition/committer.ts",
    edits: [
      {
        find: "this.#noteSynced(cycle.active, Math.min(cycle.endPosition, this.#core.visibleBytes));",
        replace: "this.#noteSynced(cycle.active, cycle.endPosition);",
      },
    ],
  },
  {
    name: "acks-1-out-of-order",
    file: "partition/committer.ts",
    edits: [
      {
        find: "for (let at = 0; this.#cycles.at(at)?.isWritten === true; at++) {",
        replace:
          "for (let at = 0; at < this.#cycles.length; at++) {\n      if (this.#cycles.at(at)?.isWritten !== true) continue;",
      },
    ],
  },
  {
    name: "groups-confirmed-out-of-order",
    file: "partition/committer.ts",
    edits: [
      {
        find: "for (let first = this.#cycles.at(0); first?.isDone === true; first = this.#cycles.at(0)) {",
        replace:
          "for (let first = this.#cycles.at(0); cycle.isDone && first !== undefined && first.endOffset <= cycle.endOffset; first = this.#cycles.at(0)) {",
      },
    ],
  },
];
