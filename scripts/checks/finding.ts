/** Something that a check objects to. */
export interface Finding {
  /** From the root of the repository. */
  readonly file: string;
  /** Starts at 1; undefined when the whole file is meant. */
  readonly line?: number;
  readonly message: string;
}

export function describeFinding({ file, line, message }: Finding): string {
  return `${file}${line === undefined ? "" : `:${line}`}  ${message}`;
}
