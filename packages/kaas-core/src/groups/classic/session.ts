import type { ClassicGroup } from "./classic-group.js";
import { rebalanceOrCompleteJoin } from "./rebalance.js";

/**
 * A member gave no sign of life for too long. One whose request is waiting is alive: its session is taken up again
 * with the answer.
 */
export function expireSession(group: ClassicGroup, memberId: string): void {
  const member = group.members.get(memberId);
  if (member === undefined) return;
  if (!member.isNew && (member.joinReply !== null || member.syncReply !== null)) return;
  group.remove(member);
  rebalanceOrCompleteJoin(group, `session of member ${memberId} ended`);
}
