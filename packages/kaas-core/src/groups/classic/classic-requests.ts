import type { ErrorCode } from "../../errors/error-codes.js";

/** One protocol that a member can speak, such as the assignor `range`, and what it says in it. */
export interface MemberProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

/** JoinGroup, without its versions: what differs between them is said in words. */
export interface JoinRequest {
  readonly groupId: string;
  /** Empty: not a member yet. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  /** In the order in which the member prefers them. */
  readonly protocols: readonly MemberProtocol[];
  readonly reason: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  /** A new dynamic member is first only told its id (KIP-394). */
  readonly memberIdRequired: boolean;
  /** The client understands that a leader may have to skip the assignment (KIP-814). */
  readonly canSkipAssignment: boolean;
}

export interface JoinedMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly metadata: Buffer;
}

export interface JoinResult {
  readonly errorCode: ErrorCode;
  readonly generationId: number;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly leader: string;
  readonly skipAssignment: boolean;
  readonly memberId: string;
  /** Everybody, told to the leader only. */
  readonly members: readonly JoinedMember[];
}

/** Called exactly once. */
export type JoinReply = (result: JoinResult) => void;

export interface SyncRequest {
  readonly groupId: string;
  readonly generationId: number;
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  /** Null where the version does not tell. */
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[];
}

export interface SyncResult {
  readonly errorCode: ErrorCode;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly assignment: Buffer;
}

/** Called exactly once. */
export type SyncReply = (result: SyncResult) => void;

export interface HeartbeatRequest {
  readonly groupId: string;
  readonly generationId: number;
  readonly memberId: string;
  readonly groupInstanceId: string | null;
}

export interface LeavingMember {
  /** Empty: the member is named by its instance id alone, as an administrator does. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly reason: string | null;
}

export interface LeaveResult {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly errorCode: ErrorCode;
}

export const EMPTY_BYTES: Buffer = Buffer.alloc(0);

export function joinError(errorCode: ErrorCode, memberId: string): JoinResult {
  return {
    errorCode,
    generationId: -1,
    protocolType: null,
    protocolName: null,
    leader: "",
    skipAssignment: false,
    memberId,
    members: [],
  };
}

export function syncError(errorCode: ErrorCode): SyncResult {
  return { errorCode, protocolType: null, protocolName: null, assignment: EMPTY_BYTES };
}

/** What happened, and why the client says it did it (KIP-800). */
export function because(request: JoinRequest, what: string): string {
  return request.reason === null ? what : `${what}; client reason: ${request.reason.slice(0, 255)}`;
}
