/** A guard taken out of the sources, to see that the simulation notices. */
export interface Mutation {
  readonly name: string;
  /** Below `packages/kaas-storage/src/`. */
  readonly file: string;
  readonly edits: readonly Edit[];
}

interface Edit {
  /** Occurs once in the file, or the mutation says nothing any more. */
  readonly find: string;
  readonly replace: string;
}

function mutation(name: string, file: string, find: string, replace: string): Mutation {
  return { name, file, edits: [{ find, replace }] };
}

const COMMITTER = "partition/committer.ts";
const MAINTENANCE = "partition/log-maintenance.ts";

export const mutations: readonly Mutation[] = [
  mutation(
    "zeros-from-the-end-of-what-arrived",
    COMMITTER,
    "cycle.active.preallocation?.advance(cycle.active.segment.sizeBytes);",
    "cycle.active.preallocation?.advance(cycle.endPosition);",
  ),
  mutation(
    "data-into-zeros-on-their-way",
    "partition/preallocation.ts",
    "return endPosition > this.#writingFrom;",
    "return endPosition < 0;",
  ),
  mutation(
    "checkpoint-covers-unwritten-bytes",
    COMMITTER,
    "this.#noteSynced(cycle.active, Math.min(cycle.endPosition, this.#core.visibleBytes));",
    "this.#noteSynced(cycle.active, cycle.endPosition);",
  ),
  mutation(
    "acks-1-out-of-order",
    COMMITTER,
    "for (let at = 0; this.#cycles.at(at)?.isWritten === true; at++) {",
    "answerEarly(this.#core, written);\n    for (let at = 0; this.#cycles.at(at)?.isWritten === true; at++) {",
  ),
  mutation(
    "groups-confirmed-out-of-order",
    COMMITTER,
    "for (let first = this.#cycles.at(0); first?.isDone === true; first = this.#cycles.at(0)) {",
    "for (let first = this.#cycles.at(0); first !== undefined && first.endOffset <= cycle.endOffset; first = this.#cycles.at(0)) {",
  ),
  mutation(
    "acknowledged-before-fsync",
    COMMITTER,
    "if (!this.#isDirectoryDirty) return handle.dataSync();",
    "if (!this.#isDirectoryDirty) return void handle.dataSync().catch(() => undefined);",
  ),
  mutation(
    "new-segment-without-directory-fsync",
    COMMITTER,
    "await Promise.all([handle.dataSync(), fileSystem.syncDirectory(this.#core.directory)]);",
    "if (fileSystem !== undefined) await handle.dataSync();",
  ),
  mutation(
    "fsync-tried-again",
    COMMITTER,
    "this.#track(this.#sync(cycle.handle)).then(",
    "this.#track(this.#sync(cycle.handle).catch(() => this.#sync(cycle.handle))).then(",
  ),
  mutation(
    "one-descriptor-for-two-groups",
    "partition/active-segment.ts",
    "return this.#handles[cycle & 1] as FileHandle;",
    "return this.#handles[cycle & 0] as FileHandle;",
  ),
  mutation(
    "unsealed-tail-not-written-again",
    "partition/tail-scan.ts",
    "if (unsealedFrom < segment.sizeBytes) {",
    "if (unsealedFrom < 0) {",
  ),
  mutation("torn-batch-taken", "partition/tail-scan.ts", "verifyFrom: durableBytes,", "verifyFrom: fileBytes,"),
  mutation(
    "manifest-over-a-gap",
    MAINTENANCE,
    "this.#finished.has(segment) && segment.nextOffset <= endOffset",
    "this.#finished.has(segment)",
  ),
  mutation(
    "handed-over-with-a-gap",
    MAINTENANCE,
    "for (const unfinished of this.#closing) await this.#finishSegment(unfinished, true);",
    "",
  ),
  mutation(
    "unlinked-before-the-manifest",
    MAINTENANCE,
    "for (const segment of removed) this.#obsolete.add(segment);\n",
    "for (const segment of removed) this.#obsolete.add(segment);\n    await this.#unlink(removed);\n",
  ),
  mutation(
    "producers-go-with-their-records",
    MAINTENANCE,
    "if (last.nextOffset > core.savedProducers.offset) return;",
    "",
  ),
  mutation(
    "journal-lines-unchecked",
    "journal/journal-lines.ts",
    "if (checksumOf(sequence, group, text) !== match[3]) return undefined;",
    "try { JSON.parse(text); } catch { return undefined; }",
  ),
  mutation(
    "journal-not-written-again",
    "journal/slot-recovery.ts",
    "if (!isShared && content.length > 0) {",
    "if (content.length < 0) {",
  ),
  mutation(
    "journal-removed-before-the-snapshot",
    "journal/volume-slot-journal.ts",
    'const snapshot = encodeDocument("slot-snapshot", { epoch, number, ...content });\n',
    'const snapshot = encodeDocument("slot-snapshot", { epoch, number, ...content });\n    await this.#removeObsolete();\n',
  ),
  mutation(
    "journal-answered-before-fsync",
    "journal/volume-slot-journal.ts",
    "await syncSlots.with(() => journal.handle.dataSync());",
    "void syncSlots.with(() => journal.handle.dataSync()).catch(() => undefined);",
  ),
];
