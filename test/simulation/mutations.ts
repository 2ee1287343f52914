/** A guard taken out of the sources, to see that the simulation notices. */
export interface Mutation {
  readonly name: string;
  /** Below `packages/kaas-storage/src/`. */
  readonly file: string;
  readonly edits: readonly Edit[];
  /** Where the guard matters: one node on a disk, a cluster on a file server, or one whose partitions move. */
  readonly world: "node" | "cluster" | "moving";
}

interface Edit {
  /** Occurs once in the file, or the mutation says nothing any more. */
  readonly find: string;
  readonly replace: string;
}

function onNode(name: string, file: string, find: string, replace: string): Mutation {
  return { name, file, edits: [{ find, replace }], world: "node" };
}

function inCluster(name: string, file: string, find: string, replace: string): Mutation {
  return { name, file, edits: [{ find, replace }], world: "cluster" };
}

function onMove(name: string, file: string, find: string, replace: string): Mutation {
  return { name, file, edits: [{ find, replace }], world: "moving" };
}

const COMMITTER = "partition/committer.ts";
const SYNCED_PART = "partition/synced-part.ts";
const MAINTENANCE = "partition/log-maintenance.ts";

/**
 * Not among them, as nothing is lost without them that the simulation could notice:
 *
 * - the listing after a claim: the number of a claim is one above those that its own listing showed, so the higher of
 *   two claimants always knows of the lower and blows its fuse;
 * - the uncached read of the unsealed tail: a file that is opened freshly is read freshly, unless the mount says `nocto`;
 * - the fuse between a seal and serving: whoever has overtaken has measured the same bytes;
 * - the fuse between the seal of a move and following it: a third broker would have to come by while the second one, who
 *   has blown it, is about to seal. A test of storage holds it.
 */
export const mutations: readonly Mutation[] = [
  onNode(
    "zeros-from-the-end-of-what-arrived",
    COMMITTER,
    "cycle.active.preallocation?.advance(cycle.active.segment.sizeBytes);",
    "cycle.active.preallocation?.advance(cycle.endPosition);",
  ),
  onNode(
    "data-into-zeros-on-their-way",
    "partition/preallocation.ts",
    "return endPosition > this.#writingFrom;",
    "return endPosition < 0;",
  ),
  onNode(
    "checkpoint-covers-unwritten-bytes",
    COMMITTER,
    "this.#synced.note(cycle.active, Math.min(cycle.endPosition, this.#core.visibleBytes));",
    "this.#synced.note(cycle.active, cycle.endPosition);",
  ),
  onNode(
    "acks-1-out-of-order",
    COMMITTER,
    "for (let at = 0; this.#cycles.at(at)?.isWritten === true; at++) {",
    "answerEarly(this.#core, written);\n    for (let at = 0; this.#cycles.at(at)?.isWritten === true; at++) {",
  ),
  onNode(
    "groups-confirmed-out-of-order",
    COMMITTER,
    "for (let first = this.#cycles.at(0); first?.isDone === true; first = this.#cycles.at(0)) {",
    "for (let first = this.#cycles.at(0); first !== undefined && first.endOffset <= cycle.endOffset; first = this.#cycles.at(0)) {",
  ),
  onNode(
    "acknowledged-before-fsync",
    SYNCED_PART,
    "if (!this.#isDirectoryDirty) return handle.dataSync();",
    "if (!this.#isDirectoryDirty) return void handle.dataSync().catch(() => undefined);",
  ),
  onNode(
    "new-segment-without-directory-fsync",
    SYNCED_PART,
    "await Promise.all([handle.dataSync(), fileSystem.syncDirectory(this.#core.directory)]);",
    "if (fileSystem !== undefined) await handle.dataSync();",
  ),
  onNode(
    "fsync-tried-again",
    COMMITTER,
    "this.#track(this.#synced.sync(cycle.handle)).then(",
    "this.#track(this.#synced.sync(cycle.handle).catch(() => this.#synced.sync(cycle.handle))).then(",
  ),
  onNode(
    "one-descriptor-for-two-groups",
    "partition/active-segment.ts",
    "return this.#handles[cycle & 1] as FileHandle;",
    "return this.#handles[cycle & 0] as FileHandle;",
  ),
  onNode(
    "unsealed-tail-not-written-again",
    "partition/tail-scan.ts",
    "rewrite ??= await Rewrite.begin({ fileSystem, path, reader: handle, from: position, inTurn });",
    "return;",
  ),
  onNode("torn-batch-taken", "partition/tail-scan.ts", "verifyFrom: durableBytes,", "verifyFrom: fileBytes,"),
  onNode(
    "manifest-over-a-gap",
    MAINTENANCE,
    "this.#finished.has(segment) && segment.nextOffset <= endOffset",
    "this.#finished.has(segment)",
  ),
  onNode(
    "handed-over-with-a-gap",
    MAINTENANCE,
    "for (const unfinished of this.#closing) await this.#finishSegment(unfinished, true);",
    "",
  ),
  onNode(
    "unlinked-before-the-manifest",
    MAINTENANCE,
    "for (const segment of removed) this.#obsolete.add(segment);\n",
    "for (const segment of removed) this.#obsolete.add(segment);\n    await this.#unlink(removed);\n",
  ),
  onNode(
    "producers-go-with-their-records",
    MAINTENANCE,
    "if (!(await this.#producersKnownUpTo(last.nextOffset))) return;\n",
    "",
  ),
  onNode(
    "journal-lines-unchecked",
    "journal/journal-lines.ts",
    "if (checksumOf(sequence, group, text) !== match[3]) return undefined;",
    "try { JSON.parse(text); } catch { return undefined; }",
  ),
  onNode(
    "journal-not-written-again",
    "journal/slot-recovery.ts",
    "if (!isShared && content.length > 0) {",
    "if (content.length < 0) {",
  ),
  onNode(
    "journal-removed-before-the-snapshot",
    "journal/volume-slot-journal.ts",
    'const snapshot = encodeDocument("slot-snapshot", { epoch, number, ...content });\n',
    'const snapshot = encodeDocument("slot-snapshot", { epoch, number, ...content });\n    await this.#removeObsolete();\n',
  ),
  onNode(
    "journal-answered-before-fsync",
    "journal/volume-slot-journal.ts",
    "await syncSlots.with(() => journal.handle.dataSync());",
    "void syncSlots.with(() => journal.handle.dataSync()).catch(() => undefined);",
  ),
  {
    name: "fuse-read-before-the-fsync",
    world: "cluster",
    file: COMMITTER,
    edits: [
      {
        find: "this.#track(this.#synced.sync(cycle.handle)).then(",
        replace: "this.#track(this.#core.environment.fuse.confirm().then(() => this.#synced.sync(cycle.handle))).then(",
      },
      {
        find: "if (this.#isStopped) return;\n        this.#afterFuse(() => {",
        replace: "if (this.#isStopped) return;\n        queueMicrotask(() => {",
      },
    ],
  },
  inCluster(
    "acknowledged-without-the-fuse",
    COMMITTER,
    "if (this.#isStopped) return;\n        this.#afterFuse(() => {",
    "if (this.#isStopped) return;\n        queueMicrotask(() => {",
  ),
  inCluster("fuse-read-from-the-cache", "leadership/fuse.ts", 'isShared ? "uncached" : "read"', '"read"'),
  inCluster(
    "fuse-not-blown",
    "leadership/take-lead.ts",
    "await blowFuse(claimant.fileSystem, claimant.brokers, owner, claimant);",
    "void owner;",
  ),
  inCluster(
    "measured-before-the-fuse-is-blown",
    "leadership/take-lead.ts",
    "await blowFuse(claimant.fileSystem, claimant.brokers, owner, claimant);",
    "claimant.clock.schedule(20, () => void blowFuse(claimant.fileSystem, claimant.brokers, owner, claimant).catch(() => undefined));",
  ),
  inCluster(
    "measured-by-the-listing-before-the-blow",
    "leadership/take-lead.ts",
    "return { epoch, entries: await listUnlessLost(claimant, directory, epoch) };",
    "return { epoch, entries };",
  ),
  inCluster(
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
  {
    name: "unlinked-without-the-fuse",
    world: "cluster",
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
  inCluster(
    "handed-over-before-it-is-drained",
    "partition/open-log.ts",
    "await Promise.all([this.compaction.close(), this.committer.drained()]);\n    // What failed",
    "await this.compaction.close();\n    // What failed",
  ),
  inCluster(
    "journal-answered-without-the-fuse",
    "journal/volume-slot-journal.ts",
    "journal.sizeBytes += bytes.length;\n    await fuse.confirm();",
    "journal.sizeBytes += bytes.length;\n    void fuse;",
  ),
  onMove(
    "copied-before-it-is-handed-over",
    "moving/log-move.ts",
    "const released = await log.release();",
    `const early = new Map(log.core.segments.map((one) => [one.baseOffset, log.core.visibleBytesOf(one)]));
    const late = await log.release();
    const segments = late?.segments.map((one) => ({ ...one, sizeBytes: early.get(one.baseOffset) ?? 0 })) ?? [];
    const released = late && { ...late, segments };`,
  ),
  onMove(
    "producers-stay-behind",
    "moving/log-copy.ts",
    "this.#copySnapshot(state.producers.snapshot),",
    "Promise.resolve(null),",
  ),
  onMove(
    "departure-known-by-claims-alone",
    "leadership/take-lead.ts",
    "const winner = highest(others, epochOfFile);",
    "const winner = highest(others, epochOfClaim);",
  ),
];
