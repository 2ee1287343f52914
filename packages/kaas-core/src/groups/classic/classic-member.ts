import type { Random } from "../../ports/clock.js";
import type { Deadline } from "../deadline-queue.js";
import { MEMBER_ID_PREFIX_LENGTH_MAX } from "../group-limits.js";
import {
  EMPTY_BYTES,
  type JoinReply,
  type JoinRequest,
  type MemberProtocol,
  type SyncReply,
} from "./classic-requests.js";

/** One member of a classic group. */
export class ClassicMember {
  readonly id: string;
  /** Not null for a static member (KIP-345). */
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  /** Removes the member when it passes without a sign of life. */
  readonly session: Deadline;
  sessionTimeoutMs: number;
  rebalanceTimeoutMs: number;
  protocols: readonly MemberProtocol[];
  assignment: Buffer = EMPTY_BYTES;
  /** Until its first rebalance completes a member does not know its id, and cannot heartbeat. */
  isNew = true;
  /** The member's JoinGroup that waits for the others. */
  joinReply: JoinReply | null = null;
  /** The member's SyncGroup that waits for the leader's. */
  syncReply: SyncReply | null = null;

  constructor(id: string, request: JoinRequest, session: Deadline) {
    this.id = id;
    this.groupInstanceId = request.groupInstanceId;
    this.clientId = request.clientId;
    this.clientHost = request.clientHost;
    this.session = session;
    this.sessionTimeoutMs = request.sessionTimeoutMs;
    this.rebalanceTimeoutMs = request.rebalanceTimeoutMs;
    this.protocols = ownProtocols(request.protocols);
  }

  /** Takes over what may change when a member joins again. */
  update(request: JoinRequest): void {
    this.sessionTimeoutMs = request.sessionTimeoutMs;
    this.rebalanceTimeoutMs = request.rebalanceTimeoutMs;
    this.protocols = ownProtocols(request.protocols);
  }

  /** What the member says in a protocol; empty for one that it does not speak. */
  metadata(protocolName: string | null): Buffer {
    return this.protocols.find((protocol) => protocol.name === protocolName)?.metadata ?? EMPTY_BYTES;
  }

  /** Whether the member would say the same as before, in the same order of preference. */
  matches(protocols: readonly MemberProtocol[]): boolean {
    if (protocols.length !== this.protocols.length) return false;
    return this.protocols.every((protocol, index) => {
      const other = protocols[index];
      return other !== undefined && other.name === protocol.name && other.metadata.equals(protocol.metadata);
    });
  }

  /** Bytes that the member keeps in memory on behalf of its client. */
  get retainedBytes(): number {
    return protocolsSize(this.protocols) + this.assignment.length;
  }
}

export function protocolsSize(protocols: readonly MemberProtocol[]): number {
  let size = 0;
  for (const protocol of protocols) size += protocol.name.length + protocol.metadata.length;
  return size;
}

/** An id that no other member ever had. Static members carry their instance id in it, others their client id. */
export function newMemberId(request: JoinRequest, random: Random): string {
  const prefix = request.groupInstanceId ?? request.clientId;
  return `${prefix.slice(0, MEMBER_ID_PREFIX_LENGTH_MAX)}-${uuidText(random.uuid())}`;
}

/** Copies, for the request's bytes are views into a frame that is used again; a name said twice counts once. */
function ownProtocols(protocols: readonly MemberProtocol[]): MemberProtocol[] {
  const names = new Set<string>();
  const own: MemberProtocol[] = [];
  for (const { name, metadata } of protocols) {
    if (names.has(name)) continue;
    names.add(name);
    own.push({ name, metadata: Buffer.from(metadata) });
  }
  return own;
}

/** `8-4-4-4-12` hexadecimal digits from Kafka's 22 characters of base64url. */
function uuidText(uuid: string): string {
  const hex = Buffer.from(uuid, "base64url").toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
