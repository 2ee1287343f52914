import { KaasError } from "@kaas/core";

/** Whether an error is one that a volume and a file server may give: one that says that the volume is damaged is not. */
export function isExpected(error: unknown): boolean {
  if (error instanceof KaasError) return error.code !== "KAAS_VOLUME_INVALID";
  const code = (error as { code?: unknown })?.code;
  return typeof code === "string" && /^E[A-Z]+$/.test(code);
}
