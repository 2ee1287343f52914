import type { Chance } from "../../packages/kaas-storage/src/testing/simulated/chance.js";
import type { Operation, Weather } from "../../packages/kaas-storage/src/testing/simulated/weather.js";
import type { Scenario } from "./scenario.js";

const MUTATING: ReadonlySet<Operation> = new Set([
  "open",
  "write",
  "truncate",
  "mkdir",
  "rmdir",
  "link",
  "rename",
  "unlink",
]);

const NAMING: ReadonlySet<Operation> = new Set(["open", "mkdir", "rmdir", "link", "rename", "unlink"]);

/** What goes wrong with the disk, by a scenario, until it is told to stop. */
export class Storm implements Weather {
  isCalm = false;
  /** Set when a write begins that takes a minute. */
  hasHungWrite = false;
  /** After so many more operations the process is gone. */
  operationsLeft: number = Number.POSITIVE_INFINITY;
  readonly #scenario: Scenario;
  readonly #chance: Chance;
  readonly #kill: () => void;
  readonly #failed: (what: string) => void;
  readonly #delayed: (ms: number) => void;
  #readOnlyOperations = 0;
  #writeHangsLeft = 6;
  /** An fsync has failed just now; the next delay is that of the news of it. */
  #hasSlowNews = false;

  /**
   * `kill` ends the process, `failed` is told of every failure that may have cost data, `delayed` how long each operation
   * takes.
   */
  constructor(
    scenario: Scenario,
    chance: Chance,
    kill: () => void,
    failed: (what: string) => void,
    delayed: (ms: number) => void = () => undefined,
  ) {
    this.#scenario = scenario;
    this.#chance = chance;
    this.#kill = kill;
    this.#failed = failed;
    this.#delayed = delayed;
  }

  before(): void {
    if (this.isCalm || this.operationsLeft-- > 0) return;
    this.operationsLeft = Number.POSITIVE_INFINITY;
    this.#kill();
  }

  delayMs(operation: Operation): number {
    const ms = this.#drawDelay(operation);
    this.#delayed(ms);
    return ms;
  }

  #drawDelay(operation: Operation): number {
    const { delayMs, slowness, hangs, writeDelayMs, writeHangs } = this.#scenario;
    const usual = this.#chance.between(delayMs / 4, delayMs);
    if (this.#hasSlowNews) {
      this.#hasSlowNews = false;
      return this.#chance.between(delayMs, 100 * delayMs);
    }
    if (this.isCalm) return usual;
    if (this.#chance.happens(hangs)) return this.#chance.between(5_000, 60_000);
    if (operation === "write" && this.#writeHangsLeft > 0 && this.#chance.happens(writeHangs)) {
      this.#writeHangsLeft--;
      this.hasHungWrite = true;
      return this.#chance.between(20_000, 120_000);
    }
    if (this.#chance.happens(slowness)) return this.#chance.between(delayMs, operation === "sync" ? 80 : 30);
    return operation === "write" && writeDelayMs > 0 ? this.#chance.between(delayMs / 4, writeDelayMs) : usual;
  }

  stallMs(): number {
    return !this.isCalm && this.#chance.happens(this.#scenario.stalls) ? this.#chance.between(2.1, 40) : 0;
  }

  failure(operation: Operation, path: string): string | undefined {
    if (this.isCalm) return undefined;
    if (this.#readOnlyOperations > 0 && MUTATING.has(operation)) {
      this.#readOnlyOperations--;
      return this.#fails(operation, path, "EROFS");
    }
    if (!this.#chance.happens(this.#scenario.failures)) return undefined;
    const errno = this.#chance.pick(["EIO", "ENOSPC", "EMFILE", "EROFS"]);
    if (errno === "EROFS") this.#readOnlyOperations = this.#chance.below(20);
    return this.#fails(operation, path, errno);
  }

  syncFailure(path: string): string | undefined {
    if (this.isCalm || !this.#chance.happens(this.#scenario.syncFailures)) return undefined;
    this.#hasSlowNews = this.#chance.happens(this.#scenario.slowNews);
    return this.#fails("sync", path, this.#chance.pick(["EIO", "ENOSPC"]));
  }

  losesReply(operation: Operation): boolean {
    return !this.isCalm && NAMING.has(operation) && this.#chance.happens(this.#scenario.lostReplies);
  }

  writeBackMs(): number | undefined {
    return this.#scenario.writesBack && this.#chance.happens(0.5) ? this.#chance.between(0.1, 2_000) : undefined;
  }

  #fails(operation: Operation, path: string, errno: string): string {
    this.#failed(`${operation} ${path}: ${errno}`);
    return errno;
  }
}
