import { KaasError } from "@kaas/core";

/** What a caller is told when the file system failed; errors that say more than that stay as they are. */
export function storageFailure(what: string, cause: unknown): KaasError {
  if (cause instanceof KaasError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new KaasError("KAAS_STORAGE_FAILED", `${what}: ${reason}`, { cause });
}
