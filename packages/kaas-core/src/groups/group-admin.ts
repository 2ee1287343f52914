import { ErrorCode } from "../errors/error-codes.js";
import type { ClassicGroup } from "./classic/classic-group.js";
import { EMPTY_BYTES } from "./classic/classic-requests.js";
import { expiredOffsets } from "./offsets/retention.js";
import type { GroupSlot } from "./slot/group-slot.js";

export interface ListedGroup {
  readonly groupId: string;
  readonly protocolType: string;
  readonly groupState: string;
  readonly groupType: string;
}

export interface DescribedGroup {
  readonly groupId: string;
  readonly groupState: string;
  readonly protocolType: string;
  readonly protocolData: string;
  readonly members: readonly {
    readonly memberId: string;
    readonly groupInstanceId: string | null;
    readonly clientId: string;
    readonly clientHost: string;
    readonly memberMetadata: Buffer;
    readonly memberAssignment: Buffer;
  }[];
}

/** Which groups a listing holds; an empty filter lets all pass. Names are compared without regard to case. */
export interface GroupFilter {
  readonly states: readonly string[];
  readonly types: readonly string[];
}

export function listGroups(slot: GroupSlot, filter: GroupFilter): ListedGroup[] {
  const states = lowerCased(filter.states);
  const types = lowerCased(filter.types);
  const listed: ListedGroup[] = [];
  for (const group of slot.state.groups.values()) {
    if (states.size > 0 && !states.has(group.state.toLowerCase())) continue;
    if (types.size > 0 && !types.has(group.type)) continue;
    listed.push({
      groupId: group.id,
      protocolType: group.protocolType ?? "",
      groupState: group.state,
      groupType: group.type,
    });
  }
  return listed;
}

function lowerCased(names: readonly string[]): Set<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

/** DescribeGroups of one group. What members said is only shown once the group agreed on a protocol. */
export function describeGroup(group: ClassicGroup): DescribedGroup {
  const isStable = group.state === "Stable";
  return {
    groupId: group.id,
    groupState: group.state,
    protocolType: group.protocolType ?? "",
    protocolData: isStable ? (group.protocolName ?? "") : "",
    members: Array.from(group.members.values(), (member) => ({
      memberId: member.id,
      groupInstanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      memberMetadata: isStable ? member.metadata(group.protocolName) : EMPTY_BYTES,
      memberAssignment: member.assignment,
    })),
  };
}

/** DeleteGroups of one group. Resolves when the deletion is durable. */
export async function deleteGroup(slot: GroupSlot, groupId: string): Promise<ErrorCode> {
  const group = slot.state.groups.get(groupId);
  if (group === undefined) return ErrorCode.GROUP_ID_NOT_FOUND;
  if (group.state !== "Empty") return ErrorCode.NON_EMPTY_GROUP;
  return (await slot.deleteGroup(group)) ? ErrorCode.NONE : slot.refusal;
}

/** Drops offsets whose retention is over, and groups that have neither members nor offsets. */
export function expireGroups(slot: GroupSlot): void {
  const { groups, offsets } = slot.state;
  const nowMs = slot.clock.now();
  const retentionMs = slot.settings.offsetsRetentionMs;
  for (const group of [...groups.values()]) {
    const committed = offsets.get(group.id);
    const expired = committed === undefined ? [] : expiredOffsets(group, committed, nowMs, retentionMs);
    if (expired.length > 0) void slot.append({ type: "delete-offsets", group: group.id, topics: expired });
    const isUsed = group.state !== "Empty" || group.pendingJoins.size > 0 || offsets.has(group.id);
    if (!isUsed) void slot.deleteGroup(group);
  }
}
