import type { ErrorCode } from "./error-codes.js";

/** A refusal with its reason, as an admin client shows it. */
export interface Refusal {
  readonly errorCode: ErrorCode;
  readonly message: string;
}

export function refuse(errorCode: ErrorCode, message: string): Refusal {
  return { errorCode, message };
}
