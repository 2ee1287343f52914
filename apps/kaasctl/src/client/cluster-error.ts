/** A cluster cannot be reached, or does not do what it is asked: exit code 1. One line that says what to do. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
}
