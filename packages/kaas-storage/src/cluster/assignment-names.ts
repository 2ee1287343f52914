/**
 * Names in the directory of assignments.
 *
 * ```
 * assignments/0000000007.claim               a controller has taken epoch 7
 * assignments/0000000007-0000000042.json     its 42nd assignment
 * ```
 */
const DIGITS = 10;
const CLAIM_NAME = /^(\d{10})\.claim$/;
const ASSIGNMENT_NAME = /^(\d{10})-(\d{10})\.json$/;

/** Which assignment it is: the controller epoch first, then the version. */
export interface AssignmentNumber {
  readonly controllerEpoch: number;
  readonly version: number;
}

export function claimName(controllerEpoch: number): string {
  return `${padded(controllerEpoch)}.claim`;
}

export function assignmentName({ controllerEpoch, version }: AssignmentNumber): string {
  return `${padded(controllerEpoch)}-${padded(version)}.json`;
}

/** The epoch of a claim's name; undefined for any other name. */
export function claimedEpoch(name: string): number | undefined {
  const epoch = CLAIM_NAME.exec(name)?.[1];
  return epoch === undefined ? undefined : Number(epoch);
}

/** What an assignment's name says; undefined for any other name. */
export function assignmentNumber(name: string): AssignmentNumber | undefined {
  const match = ASSIGNMENT_NAME.exec(name);
  return match === null ? undefined : { controllerEpoch: Number(match[1]), version: Number(match[2]) };
}

/** Negative where the first is older. */
export function compareAssignments(one: AssignmentNumber, other: AssignmentNumber): number {
  return one.controllerEpoch - other.controllerEpoch || one.version - other.version;
}

function padded(value: number): string {
  return String(value).padStart(DIGITS, "0");
}
