import type {
  AclAdmin,
  AclChange,
  AclChangeRefusal,
  Election,
  LeaderWish,
  LeadershipWishes,
  OngoingMove,
  QuotaAlteration,
  ScramAlteration,
  TopicAdmin,
  TopicDescription,
  TopicOverrides,
  UserAdmin,
  UserChangeRefusal,
  WishedPartition,
  WishResult,
} from "@kaas/core";
import type { ControlServices, ServiceCall } from "./messages.js";

/** Sends a call to the control plane. */
export type Call = (call: ServiceCall) => Promise<unknown>;

/** The services of the control plane, as the data plane has them. */
export function remoteServices(call: Call): ControlServices {
  return {
    topics: new RemoteTopics(call),
    users: new RemoteUsers(call),
    acls: new RemoteAcls(call),
    wishes: new RemoteLeadership(call),
  };
}

class RemoteTopics implements TopicAdmin {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async create(
    name: string,
    partitionCount: number,
    overrides: TopicOverrides,
    timeoutMs?: number,
  ): Promise<TopicDescription | undefined> {
    await this.#ask("create", name, partitionCount, overrides, timeoutMs);
    return undefined; // the operator makes it
  }

  async delete(topic: TopicDescription, timeoutMs?: number): Promise<void> {
    await this.#ask("delete", topic, timeoutMs);
  }

  async createPartitions(topic: TopicDescription, partitionCount: number, timeoutMs?: number): Promise<void> {
    await this.#ask("createPartitions", topic, partitionCount, timeoutMs);
  }

  async configure(
    topic: TopicDescription,
    overrides: TopicOverrides,
    timeoutMs?: number,
    names?: readonly string[],
  ): Promise<void> {
    await this.#ask("configure", topic, overrides, timeoutMs, names);
  }

  #ask(method: keyof TopicAdmin, ...args: unknown[]): Promise<unknown> {
    return this.#call({ service: "topics", method, args });
  }
}

class RemoteUsers implements UserAdmin {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async alterScram(alteration: ScramAlteration): Promise<UserChangeRefusal | undefined> {
    return (await this.#call({ service: "users", method: "alterScram", args: [alteration] })) as
      | UserChangeRefusal
      | undefined;
  }

  async alterQuotas(alteration: QuotaAlteration): Promise<UserChangeRefusal | undefined> {
    return (await this.#call({ service: "users", method: "alterQuotas", args: [alteration] })) as
      | UserChangeRefusal
      | undefined;
  }
}

class RemoteAcls implements AclAdmin {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async changeAcls(change: AclChange, timeoutMs: number): Promise<AclChangeRefusal | undefined> {
    return (await this.#call({ service: "acls", method: "changeAcls", args: [change, timeoutMs] })) as
      | AclChangeRefusal
      | undefined;
  }
}

/** Rejects only where the control plane has ended, and the process with it. */
class RemoteLeadership implements LeadershipWishes {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async reassign(wishes: readonly LeaderWish[], timeoutMs: number): Promise<readonly WishResult[]> {
    return (await this.#call({ service: "wishes", method: "reassign", args: [wishes, timeoutMs] })) as WishResult[];
  }

  async moves(timeoutMs: number): Promise<readonly OngoingMove[] | WishResult> {
    return (await this.#call({ service: "wishes", method: "moves", args: [timeoutMs] })) as OngoingMove[] | WishResult;
  }

  async elect(
    election: Election,
    partitions: readonly WishedPartition[],
    timeoutMs: number,
  ): Promise<readonly WishResult[]> {
    const args = [election, partitions, timeoutMs];
    return (await this.#call({ service: "wishes", method: "elect", args })) as WishResult[];
  }
}
