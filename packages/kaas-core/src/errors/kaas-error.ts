/** The stable codes of errors that kaas libraries throw; `docs/errors.md` explains each and says what to do. */
export const KaasErrorCode = {
  /** A message could not be decoded: too short, too long, or not of its schema. */
  KAAS_WIRE_MALFORMED: "KAAS_WIRE_MALFORMED",
  /** Record data is not a valid sequence of v2 batches. */
  KAAS_RECORDS_INVALID: "KAAS_RECORDS_INVALID",
  /** Compressed data cannot be expanded, or expands beyond its limit. */
  KAAS_COMPRESSION_FAILED: "KAAS_COMPRESSION_FAILED",
  /** A configuration key or value is not acceptable. */
  KAAS_CONFIG_INVALID: "KAAS_CONFIG_INVALID",
  /** A listener could not be bound. */
  KAAS_LISTENER_FAILED: "KAAS_LISTENER_FAILED",
  /** A file on the volume is not what it should be; the message names it. */
  KAAS_VOLUME_INVALID: "KAAS_VOLUME_INVALID",
  /** A topic exists already, or is not what the caller believed. */
  KAAS_TOPIC_CONFLICT: "KAAS_TOPIC_CONFLICT",
  /** Another process holds the data directory. */
  KAAS_VOLUME_LOCKED: "KAAS_VOLUME_LOCKED",
  /** Somebody took over from this process: nothing it wrote since may be acknowledged. */
  KAAS_FENCED: "KAAS_FENCED",
  /** The file system refused or failed an operation. */
  KAAS_STORAGE_FAILED: "KAAS_STORAGE_FAILED",
  /** The Kubernetes API server does not answer. */
  KAAS_KUBERNETES_UNREACHABLE: "KAAS_KUBERNETES_UNREACHABLE",
  /** The API server does not let this process do something. */
  KAAS_KUBERNETES_FORBIDDEN: "KAAS_KUBERNETES_FORBIDDEN",
  /** An object that the API server does not have. */
  KAAS_KUBERNETES_NOT_FOUND: "KAAS_KUBERNETES_NOT_FOUND",
  /** An object exists already, or has changed meanwhile. */
  KAAS_KUBERNETES_CONFLICT: "KAAS_KUBERNETES_CONFLICT",
  /** The API server does not accept an object or a request. */
  KAAS_KUBERNETES_REFUSED: "KAAS_KUBERNETES_REFUSED",
  /** What others were asked to do has not happened in time. */
  KAAS_TIMED_OUT: "KAAS_TIMED_OUT",
  /** Something that has been closed was used again. */
  KAAS_CLOSED: "KAAS_CLOSED",
} as const;

/** A stable error code of a kaas library. */
export type KaasErrorCode = (typeof KaasErrorCode)[keyof typeof KaasErrorCode];

/**
 * What kaas libraries throw when the outside world fails or input is unusable. `code` is stable; `message` is one
 * line that says what happened, to what, and what to do.
 */
export class KaasError extends Error {
  readonly code: KaasErrorCode;

  constructor(code: KaasErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "KaasError";
    this.code = code;
  }
}

/** Stops the program when one of our own assumptions does not hold. Always on: it reports bugs, never bad input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}
