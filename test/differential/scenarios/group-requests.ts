// Requests of the classic group protocol, as a consumer sends them.
import type { WireClient } from "../../lib/wire-client.js";
import type { Context, Message } from "../context.js";

export interface JoinWish {
  readonly memberId?: string;
  readonly groupInstanceId?: string | null;
  readonly sessionTimeoutMs?: number;
  readonly rebalanceTimeoutMs?: number;
  readonly protocolType?: string;
  readonly protocols?: readonly (readonly [string, string])[];
  readonly reason?: string | null;
}

export function join(groupId: string, wish: JoinWish = {}): Message {
  const { protocols = [["range", "meta"]], ...rest } = wish;
  return {
    groupId,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 5000,
    memberId: "",
    groupInstanceId: null,
    protocolType: "consumer",
    reason: null,
    ...rest,
    protocols: protocols.map(([name, metadata]) => ({ name, metadata: Buffer.from(metadata) })),
  };
}

export function sync(
  groupId: string,
  generationId: number,
  memberId: string,
  assignments: readonly (readonly [string, string])[],
  rest: Message = {},
): Message {
  const list = assignments.map(([member, assignment]) => ({ memberId: member, assignment: Buffer.from(assignment) }));
  return {
    groupId,
    generationId,
    memberId,
    groupInstanceId: null,
    protocolType: "consumer",
    protocolName: "range",
    assignments: list,
    ...rest,
  };
}

/** Coordinators of Kafka come up some time after their topic is created. */
export async function awaitCoordinator(context: Context, groupId: string): Promise<void> {
  await context.until(`a coordinator of ${groupId}`, async () => {
    await context.quiet("FindCoordinator", { coordinatorKeys: [groupId] });
    const { groups } = await context.quiet("OffsetFetch", { groups: [{ groupId, topics: null }] }, 8);
    return ![14, 15, 16].includes(groups[0].errorCode);
  });
}

/** A member that has joined, with its first id taken over where the version asks for that. */
export async function joined(
  context: Context,
  groupId: string,
  wish: JoinWish = {},
  client?: WireClient,
): Promise<Message> {
  const first = await context.quiet("JoinGroup", join(groupId, wish), 9, client);
  if (first.errorCode !== 79) return first;
  return context.quiet("JoinGroup", join(groupId, { ...wish, memberId: first.memberId }), 9, client);
}

/** A group of one member that is stable. */
export async function stableGroup(
  context: Context,
  groupId: string,
  wish: JoinWish = {},
): Promise<{ memberId: string; generationId: number }> {
  await awaitCoordinator(context, groupId);
  const { memberId, generationId, errorCode } = await joined(context, groupId, wish);
  if (errorCode !== 0) throw new Error(`join of ${groupId}: error ${errorCode}`);
  const rest = { groupInstanceId: wish.groupInstanceId ?? null };
  await context.quiet("SyncGroup", sync(groupId, generationId, memberId, [[memberId, "parts"]], rest));
  return { memberId, generationId };
}
