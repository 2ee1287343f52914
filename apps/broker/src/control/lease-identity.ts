/** A process, as the Lease names its holder. */
export interface LeaseIdentity {
  readonly broker: string;
  readonly incarnation: string;
}

const SEPARATOR = "/";

/** Two processes of one name must not be taken for one holder. */
export function leaseIdentity({ broker, incarnation }: LeaseIdentity): string {
  return `${broker}${SEPARATOR}${incarnation}`;
}

/** Undefined for a holder that this software has not written. */
export function parseLeaseIdentity(text: string): LeaseIdentity | undefined {
  const [broker = "", incarnation = "", ...rest] = text.split(SEPARATOR);
  return broker === "" || incarnation === "" || rest.length > 0 ? undefined : { broker, incarnation };
}
