import fc from "fast-check";
import { expect, test } from "vitest";
import { FakeSlotJournals } from "../../../test/fakes/fake-slot-journals.js";
import { GroupHarness, settle } from "../../../test/fakes/group-harness.js";
import { ErrorCode } from "../../errors/error-codes.js";
import type { JoinResult, SyncResult } from "./classic-requests.js";

const GROUP_SIZE_MAX = 4;
const SESSION_MS = 6_000;
const REBALANCE_MS = 8_000;

/** What was promised for one generation; every answer must agree with it. */
interface Generation {
  readonly leader: string;
  readonly protocolName: string | null;
  readonly members: Set<string>;
  listed: Set<string> | null;
  /** By member id; null until the leader has brought it and an answer showed it. */
  offered: Map<string, string>[];
}

/** A client as it sees itself: it only knows what it was answered. */
class Client {
  readonly instance: string | null;
  readonly protocols: readonly string[];
  memberId = "";
  generationId = -1;
  waiting: "join" | "sync" | null = null;
  answers = 0;
  requests = 0;

  constructor(instance: string | null, protocols: readonly string[]) {
    this.instance = instance;
    this.protocols = protocols;
  }
}

/** The promises of the protocol, checked against everything that clients are answered. */
class Model {
  readonly clients: readonly Client[] = [
    new Client(null, ["range", "sticky"]),
    new Client(null, ["sticky", "range"]),
    new Client(null, ["range"]),
    new Client("static-1", ["range", "sticky"]),
    new Client("static-1", ["range", "sticky"]),
    new Client("static-2", ["range"]),
  ];
  readonly generations = new Map<number, Generation>();
  newest = 0;

  joined(client: Client, result: JoinResult): void {
    client.answers++;
    client.waiting = null;
    if (result.errorCode === ErrorCode.MEMBER_ID_REQUIRED) client.memberId = result.memberId;
    if (result.errorCode === ErrorCode.UNKNOWN_MEMBER_ID || result.errorCode === ErrorCode.FENCED_INSTANCE_ID) {
      this.forget(client);
    }
    if (result.errorCode !== ErrorCode.NONE) return;
    client.memberId = result.memberId;
    client.generationId = result.generationId;
    expect(result.generationId).toBeGreaterThanOrEqual(this.newest);
    this.newest = result.generationId;
    const known = this.generations.get(result.generationId);
    if (known === undefined) this.#begin(result);
    else this.#agree(known, result);
    if (result.members.length > 0 && !result.skipAssignment) this.#listed(result);
  }

  synced(client: Client, memberId: string, generationId: number, result: SyncResult): void {
    client.answers++;
    client.waiting = null;
    if (result.errorCode === ErrorCode.UNKNOWN_MEMBER_ID || result.errorCode === ErrorCode.FENCED_INSTANCE_ID) {
      this.forget(client);
    }
    if (result.errorCode !== ErrorCode.NONE) return;
    const offers = this.generations.get(generationId)?.offered ?? [];
    // One of the leader's assignments is in force; which one was lost is not for the member to know.
    const possible = offers.map((offer) => offer.get(memberId) ?? "");
    const replaced = client.instance !== null && result.assignment.length > 0;
    if (!replaced) expect(possible).toContain(result.assignment.toString());
  }

  forget(client: Client): void {
    client.memberId = "";
    client.generationId = -1;
  }

  #begin(result: JoinResult): void {
    this.generations.set(result.generationId, {
      leader: result.leader,
      protocolName: result.protocolName,
      members: new Set([result.memberId]),
      listed: null,
      offered: [],
    });
  }

  #agree(generation: Generation, result: JoinResult): void {
    expect(result.protocolName).toBe(generation.protocolName);
    generation.members.add(result.memberId);
    expect(generation.members.size).toBeLessThanOrEqual(GROUP_SIZE_MAX * 3);
  }

  #listed(result: JoinResult): void {
    const ids = new Set(result.members.map(({ memberId }) => memberId));
    expect(ids.has(result.memberId)).toBe(true);
    expect(ids.size).toBe(result.members.length);
    expect(ids.size).toBeLessThanOrEqual(GROUP_SIZE_MAX);
    expect(result.leader).toBe(result.memberId);
  }
}

interface Step extends fc.AsyncCommand<Model, GroupHarness> {
  check(model: Readonly<Model>): boolean;
}

class Join implements Step {
  readonly index: number;
  readonly idRequired: boolean;

  constructor(index: number, idRequired: boolean) {
    this.index = index;
    this.idRequired = idRequired;
  }

  check(model: Readonly<Model>): boolean {
    return model.clients[this.index]?.waiting === null;
  }

  async run(model: Model, harness: GroupHarness): Promise<void> {
    const client = model.clients[this.index] as Client;
    client.waiting = "join";
    client.requests++;
    const protocols = client.protocols.map((name) => ({ name, metadata: Buffer.from(`${this.index}`) }));
    void harness
      .join({
        memberId: client.memberId,
        groupInstanceId: client.instance,
        sessionTimeoutMs: SESSION_MS,
        rebalanceTimeoutMs: REBALANCE_MS,
        protocols,
        memberIdRequired: this.idRequired,
      })
      .then((result) => model.joined(client, result));
    await settle();
  }

  toString(): string {
    return `join(${this.index}${this.idRequired ? ", id required" : ""})`;
  }
}

class Sync implements Step {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }

  check(model: Readonly<Model>): boolean {
    const client = model.clients[this.index];
    return client?.waiting === null && client.generationId >= 0;
  }

  async run(model: Model, harness: GroupHarness): Promise<void> {
    const client = model.clients[this.index] as Client;
    const { memberId, generationId } = client;
    client.waiting = "sync";
    client.requests++;
    const generation = model.generations.get(generationId);
    const offer = new Map(
      [...(generation?.members ?? [])].map((id) => [id, `${generationId}:${id}:${client.requests}`]),
    );
    if (generation !== undefined) generation.offered.push(offer);
    void harness
      .sync(
        { memberId, generationId, groupInstanceId: client.instance },
        { assignments: [...offer].map(([id, text]) => ({ memberId: id, assignment: Buffer.from(text) })) },
      )
      .then((result) => model.synced(client, memberId, generationId, result));
    await settle();
  }

  toString(): string {
    return `sync(${this.index})`;
  }
}

class Beat implements Step {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }

  check(model: Readonly<Model>): boolean {
    return (model.clients[this.index]?.generationId ?? -1) >= 0;
  }

  async run(model: Model, harness: GroupHarness): Promise<void> {
    const client = model.clients[this.index] as Client;
    const errorCode = harness.heartbeat({ ...client, groupInstanceId: client.instance });
    const state = harness.state();
    if (errorCode === ErrorCode.NONE) {
      expect(harness.memberIds()).toContain(client.memberId);
      expect(client.generationId).toBe(model.newest);
      expect(["CompletingRebalance", "Stable"]).toContain(state);
    } else if (errorCode === ErrorCode.REBALANCE_IN_PROGRESS) {
      expect(state).toBe("PreparingRebalance");
    } else if (errorCode !== ErrorCode.ILLEGAL_GENERATION) {
      expect(harness.memberIds()).not.toContain(client.memberId);
      model.forget(client);
    }
  }

  toString(): string {
    return `heartbeat(${this.index})`;
  }
}

class Leave implements Step {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }

  check(model: Readonly<Model>): boolean {
    return model.clients[this.index]?.memberId !== "";
  }

  async run(model: Model, harness: GroupHarness): Promise<void> {
    const client = model.clients[this.index] as Client;
    await harness.coordinator.leave("g", [
      { memberId: client.memberId, groupInstanceId: client.instance, reason: null },
    ]);
    expect(harness.memberIds()).not.toContain(client.waiting === null ? client.memberId : "none");
    if (client.waiting === null) model.forget(client);
    await settle();
  }

  toString(): string {
    return `leave(${this.index})`;
  }
}

class Pass implements Step {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  check(): boolean {
    return true;
  }

  async run(_model: Model, harness: GroupHarness): Promise<void> {
    await harness.advance(this.ms);
  }

  toString(): string {
    return `pass(${this.ms})`;
  }
}

/** Everybody who can joins, and then asks for the assignment: without this, chance seldom makes a group stable. */
class Rally implements Step {
  check(): boolean {
    return true;
  }

  async run(model: Model, harness: GroupHarness): Promise<void> {
    for (const make of [(at: number) => new Join(at, false), (at: number) => new Sync(at)]) {
      for (const at of model.clients.keys()) {
        const step = make(at);
        if (step.check(model)) await step.run(model, harness);
      }
      if (harness.state() === "PreparingRebalance") await harness.advance(5_500);
    }
  }

  toString(): string {
    return "rally()";
  }
}

function checkAlways(model: Model, harness: GroupHarness): void {
  const state = harness.state();
  const memberCount = harness.memberIds().length;
  if (state === "Empty") expect(memberCount).toBe(0);
  if (state === "Stable" || state === "CompletingRebalance") {
    expect(memberCount).toBeGreaterThan(0);
    expect(memberCount).toBeLessThanOrEqual(GROUP_SIZE_MAX);
  }
  if (state === "Stable" || state === "Empty") {
    for (const client of model.clients) expect(client.waiting).toBe(null);
  }
  for (const client of model.clients) expect(client.answers).toBeLessThanOrEqual(client.requests);
}

/** Runs the steps, and checks after each of them. */
class Checked implements Step {
  readonly step: Step;

  constructor(step: Step) {
    this.step = step;
  }

  check(model: Readonly<Model>): boolean {
    return this.step.check(model);
  }

  async run(model: Model, harness: GroupHarness): Promise<void> {
    await this.step.run(model, harness);
    checkAlways(model, harness);
  }

  toString(): string {
    return this.step.toString();
  }
}

const index = fc.nat(5);
const step: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 5, arbitrary: fc.tuple(index, fc.boolean()).map(([at, idRequired]) => new Join(at, idRequired)) },
    { weight: 5, arbitrary: index.map((at) => new Sync(at)) },
    { weight: 3, arbitrary: index.map((at) => new Beat(at)) },
    { weight: 1, arbitrary: index.map((at) => new Leave(at)) },
    { weight: 2, arbitrary: fc.constant(new Rally()) },
    { weight: 4, arbitrary: fc.constantFrom(10, 500, 3_000, 6_000, 8_000).map((ms) => new Pass(ms)) },
  )
  .map((command) => new Checked(command));

test("whatever clients do, the group keeps its promises, and in silence it comes to rest", async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands([step], { maxCommands: 60 }), async (commands) => {
      const journals = new FakeSlotJournals(1);
      const harness = await new GroupHarness({ "group.max.size": GROUP_SIZE_MAX }, journals).start();
      const model = new Model();
      await fc.asyncModelRun(() => ({ model, real: harness }), commands);
      for (let minute = 0; minute < 8; minute++) await harness.advance(60_000);
      for (const client of model.clients) {
        expect(client.answers).toBe(client.requests);
        expect(client.waiting).toBe(null);
      }
      expect(harness.memberIds()).toEqual([]);
      expect(["Empty", `error ${ErrorCode.GROUP_ID_NOT_FOUND}`]).toContain(harness.state());
      expect(harness.clock.pending).toBe(1); // the retention check; no timer of a group is left
    }),
    { numRuns: 400 },
  );
});
