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
  {
    name: "fuse-read-before-the-fsync",
    file: COMMITTER,
    edits: [
      {
        find: "this.#track(this.#sync(cycle.handle)).then(",
        replace: "this.#track(this.#core.environment.fuse.confirm().then(() => this.#sync(cycle.handle))).then(",
      },
      {
        find: "if (this.#isStopped) return;\n        this.#afterFuse(() => {",
        replace: "if (this.#isStopped) return;\n        queueMicrotask(() => {",
      },
    ],
  },
  mutation(
    "acknowledged-without-the-fuse",
    COMMITTER,
    "if (this.#isStopped) return;\n        this.#afterFuse(() => {",
    "if (this.#isStopped) return;\n        queueMicrotask(() => {",
  ),
  mutation("fuse-read-from-the-cache", "leadership/fuse.ts", 'isShared ? "uncached" : "read"', '"read"'),
  mutation(
    "fuse-not-blown",
    "leadership/take-lead.ts",
    "await blowFuse(claimant.fileSystem, claimant.brokers, owner, claimant);",
    "void owner;",
  ),
  mutation(
    "measured-before-the-fuse-is-blown",
    "leadership/take-lead.ts",
    "await blowFuse(claimant.fileSystem, claimant.brokers, owner, claimant);",
    "claimant.clock.schedule(20, () => void blowFuse(claimant.fileSystem, claimant.brokers, owner, claimant).catch(() => undefined));",
  ),
  mutation(
    "no-listing-after-the-claim",
    "leadership/take-lead.ts",
    "const entries = await listUnlessLost(claimant, directory, epoch);\n    const owners",
    "const entries = await claimant.fileSystem.list(directory);\n    const owners",
  ),
  mutation(
    "measured-by-the-listing-before-the-blow",
    "leadership/take-lead.ts",
    "return { epoch, entries: await listUnlessLost(claimant, directory, epoch) };",
    "return { epoch, entries };",
  ),
  mutation(
    "tail-scanned-from-the-cache",
    "partition/tail-scan.ts",
    'environment.isShared ? "uncached" : "read"',
    '"read"',
  ),
  mutation(
    "earlier-seal-not-binding",
    "partition/recovery.ts",
    "...base.state.segments.map((record) => Segment.of(directory, record)),",
    `...(await Promise.all(
      base.state.segments.map(async (record) => {
        const before = { ...EMPTY, endOffset: record.baseOffset };
        const [again] = await scanTail(id, listed, record.epoch, before, config, environment);
        return again?.segment ?? Segment.of(directory, record);
      }),
    )),`,
  ),
  mutation(
    "served-without-the-fuse",
    "partition/recovery.ts",
    "await environment.fuse.confirm();\n  return { log,",
    "return { log,",
  ),
  {
    name: "unlinked-without-the-fuse",
    file: MAINTENANCE,
    edits: [
      {
        find: "await environment.fuse.confirm();\n    await replaceHint(environment, directory, MANIFEST_COPY_NAME",
        replace: "await replaceHint(environment, directory, MANIFEST_COPY_NAME",
      },
      {
        find: "await fuse.confirm();\n    for (const segment of segments) {",
        replace: "for (const segment of fuse === undefined ? [] : segments) {",
      },
    ],
  },
  mutation(
    "handed-over-before-it-is-drained",
    "partition/open-log.ts",
    "await Promise.all([this.compaction.close(), this.committer.drained()]);\n    // What failed",
    "await this.compaction.close();\n    // What failed",
  ),
  mutation(
    "journal-answered-without-the-fuse",
    "journal/volume-slot-journal.ts",
    "journal.sizeBytes += bytes.length;\n    await fuse.confirm();",
    "journal.sizeBytes += bytes.length;\n    void fuse;",
  ),
];
