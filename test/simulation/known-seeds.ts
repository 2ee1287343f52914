/**
 * Seeds that show, for each guard, what it is for: tried first, as the search for one takes minutes. They go stale with
 * any change of what a history consists of; then the search is made, and says which seed to put here.
 */
export const knownSeeds: Readonly<Record<string, readonly number[]>> = {
  "zeros-from-the-end-of-what-arrived": [119],
  "data-into-zeros-on-their-way": [235],
  "groups-confirmed-out-of-order": [369],
  "acknowledged-before-fsync": [9],
  "new-segment-without-directory-fsync": [1],
  "fsync-tried-again": [9],
  "one-descriptor-for-two-groups": [475],
  "unsealed-tail-not-written-again": [149],
  "torn-batch-taken": [25],
  "unlinked-before-the-manifest": [45],
  "producers-go-with-their-records": [1077],
  "journal-lines-unchecked": [277],
  "journal-not-written-again": [51],
  "journal-removed-before-the-snapshot": [1],
  "journal-answered-before-fsync": [1],
  "fuse-read-before-the-fsync": [404],
  "acknowledged-without-the-fuse": [16],
  "fuse-read-from-the-cache": [22],
  "fuse-not-blown": [4],
  "measured-before-the-fuse-is-blown": [22],
  "measured-by-the-listing-before-the-blow": [60],
  "earlier-seal-not-binding": [28],
  "unlinked-without-the-fuse": [3354],
  "handed-over-before-it-is-drained": [22],
  "journal-answered-without-the-fuse": [46],
};
