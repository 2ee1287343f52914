/** The command was called wrongly; the message says which part, and what would be right. */
export class UsageError extends Error {}
