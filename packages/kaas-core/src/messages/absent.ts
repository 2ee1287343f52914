/** What generated codecs put in the place of bytes that were not given. */
export const EMPTY: Buffer = Buffer.alloc(0);

/** What generated codecs put in the place of lists that were not given. */
export const NONE: readonly never[] = [];

/** The error of an encoder asked to write null in a version that has no null there: a bug of the caller. */
export function nullNotAllowed(field: string, version: number): Error {
  return new Error(`assertion failed: ${field} may not be null in version ${version}`);
}
