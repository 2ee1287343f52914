import { KaasError } from "@kaas/core";
import { errnoOf } from "./file-system.js";

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: "there is no space left: free some, or enlarge the volume",
  EDQUOT: "the quota of this user is used up: free some space, or raise the quota",
  EROFS: "the file system is read-only: mount it for writing",
  EACCES: "this user lacks the right: grant it, or start as the user that has it",
  EPERM: "this user lacks the right: grant it, or start as the user that has it",
  EMFILE: "this process has all the files open that it may: raise its limit (ulimit -n)",
  EIO: "the device failed: look at the system's log, and at the disk or the file server",
};

/** What can be done about an error of the file system; undefined where its text is all that can be said. */
export function remedyFor(error: unknown): string | undefined {
  return REMEDIES[errnoOf(error) ?? ""];
}

/** What a caller is told when the file system failed; errors that say more than that stay as they are. */
export function storageFailure(what: string, cause: unknown): KaasError {
  if (cause instanceof KaasError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const remedy = remedyFor(cause);
  return new KaasError("KAAS_STORAGE_FAILED", `${what}: ${reason}${remedy === undefined ? "" : `; ${remedy}`}`, {
    cause,
  });
}
