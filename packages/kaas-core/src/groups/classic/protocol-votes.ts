import type { MemberProtocol } from "./classic-requests.js";

/** How many members of a group speak each protocol. */
export class ProtocolVotes {
  readonly #counts = new Map<string, number>();

  add(protocols: readonly MemberProtocol[]): void {
    for (const { name } of protocols) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  remove(protocols: readonly MemberProtocol[]): void {
    for (const { name } of protocols) {
      const count = (this.#counts.get(name) ?? 0) - 1;
      if (count > 0) this.#counts.set(name, count);
      else this.#counts.delete(name);
    }
  }

  /** Whether all of `memberCount` members speak at least one of these. */
  anySpokenByAll(protocols: readonly MemberProtocol[], memberCount: number): boolean {
    return protocols.some(({ name }) => (this.#counts.get(name) ?? 0) === memberCount);
  }

  /**
   * The protocol that most members prefer among those that all speak; the earliest member decides a tie. Null when
   * there is none that all speak.
   */
  select(members: Iterable<{ readonly protocols: readonly MemberProtocol[] }>, memberCount: number): string | null {
    const ballots = new Map<string, number>();
    for (const member of members) {
      const choice = member.protocols.find(({ name }) => this.#counts.get(name) === memberCount);
      if (choice !== undefined) ballots.set(choice.name, (ballots.get(choice.name) ?? 0) + 1);
    }
    let winner: string | null = null;
    let most = 0;
    for (const [name, count] of ballots) {
      if (count > most) {
        winner = name;
        most = count;
      }
    }
    return winner;
  }
}
