import type { Clock, Random, Timer } from "@kaas/core";
import type { Chance } from "./chance.js";
import type { Scheduler } from "./scheduler.js";

/** What the wall clock shows when a simulation begins. */
const EPOCH_MS = 1_700_000_000_000;
/** No clock is finer. A wait that is lost in the rounding of a sum would be over at once, and be asked for again, for ever. */
const TIMER_MS_MIN = 0.001;

/** A computer with a kernel, and a process on it from time to time. */
export class Machine {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  /** Counts starts of the kernel: what one life of it began does not reach the next. */
  #life = 0;
  #pausedUntil = 0;
  /** How long a virtual machine has stood still, its clock with it. */
  #lostMs = 0;
  #processes: SimulatedProcess[] = [];

  constructor(name: string, scheduler: Scheduler) {
    this.name = name;
    this.scheduler = scheduler;
    this.chance = scheduler.chance.fork();
  }

  /** Milliseconds on this machine's own monotonic clock. */
  get elapsedMs(): number {
    return this.scheduler.now - this.#lostMs;
  }

  get isPaused(): boolean {
    return this.scheduler.now < this.#pausedUntil;
  }

  /** Work of the kernel: goes on when a process dies, waits while the machine stands still, ends with a crash. */
  kernel(delayMs: number, run: () => void): void {
    const life = this.#life;
    const deliver = (): void => {
      if (life !== this.#life) return;
      if (this.isPaused) this.scheduler.after(this.#pausedUntil - this.scheduler.now, deliver);
      else run();
    };
    this.scheduler.after(delayMs, deliver);
  }

  /** The same, to be awaited. Never resolves once the machine has crashed. */
  kernelSleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.kernel(delayMs, resolve));
  }

  start(name: string = this.name): SimulatedProcess {
    const process = new SimulatedProcess(name, this);
    this.#processes.push(process);
    return process;
  }

  /** The whole machine stands still, the way a hypervisor stops a guest. */
  pause(durationMs: number): void {
    const from = Math.max(this.#pausedUntil, this.scheduler.now);
    const until = Math.max(from, this.scheduler.now + durationMs);
    this.#pausedUntil = until;
    this.#lostMs += until - from;
  }

  /** Power is lost: the processes are gone, and all that only memory held. */
  crash(): void {
    for (const process of this.#processes) process.kill();
    this.#processes = [];
    this.#life++;
    this.#pausedUntil = 0;
  }
}

/** A process as the code under test sees it: its clock and its chance. What was on its way when it died never arrives. */
export class SimulatedProcess {
  readonly name: string;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly random: Random;
  isAlive = true;
  #blockedUntil = 0;
  #died: (() => void)[] = [];

  constructor(name: string, machine: Machine) {
    this.name = name;
    this.machine = machine;
    const chance = machine.chance.fork();
    this.clock = {
      now: () => EPOCH_MS + Math.floor(this.#elapsedMs()),
      monotonic: () => this.#elapsedMs(),
      schedule: (delayMs, callback) => this.#schedule(delayMs, callback),
    };
    this.random = { uuid: () => uuid(chance), integer: (limit) => chance.below(limit) };
  }

  /** A turn of its event loop. */
  turn(delayMs: number, run: () => void): void {
    const { scheduler } = this.machine;
    const deliver = (): void => {
      if (!this.isAlive) return;
      const waitMs = this.#blockedUntil - scheduler.now;
      if (waitMs > 0) this.machine.kernel(waitMs, deliver);
      else run();
    };
    this.machine.kernel(delayMs, deliver);
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.turn(delayMs, resolve));
  }

  get isBlocked(): boolean {
    return this.machine.scheduler.now < this.#blockedUntil;
  }

  /** Its event loop waits for a system call, or the process was stopped. Its clock goes on. */
  block(durationMs: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, this.machine.scheduler.now) + durationMs;
  }

  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    for (const tell of this.#died.splice(0)) tell();
  }

  /** Calls back when it dies, in whatever way. */
  onDeath(callback: () => void): void {
    this.#died.push(callback);
  }

  #elapsedMs(): number {
    const blockedMs = Math.max(0, this.#blockedUntil - this.machine.scheduler.now);
    return this.machine.elapsedMs + blockedMs;
  }

  #schedule(delayMs: number, callback: () => void): Timer {
    let isCancelled = false;
    this.turn(delayMs > 0 ? Math.max(delayMs, TIMER_MS_MIN) : 0, () => {
      if (!isCancelled) callback();
    });
    return {
      cancel() {
        isCancelled = true;
      },
    };
  }
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function uuid(chance: Chance): string {
  let text = "";
  for (let index = 0; index < 22; index++) text += DIGITS[chance.below(index === 21 ? 4 : 64)];
  return text;
}
