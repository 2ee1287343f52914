import { failure } from "./disk.js";
import type { FileNode } from "./file-node.js";
import type { Machine } from "./machine.js";
import type { NfsCallback, NfsServer } from "./nfs-server.js";
import type { Operation, Weather } from "./weather.js";

export interface MountOptions {
  /** 4.1 opens a cached name by its file handle (CLAIM_FH), 4.0 by its name. */
  readonly version?: "4.0" | "4.1";
  readonly nocto?: boolean;
  /** Gives up on a server that does not answer. */
  readonly soft?: boolean;
  readonly attributeMs?: { readonly file: readonly [number, number]; readonly directory: readonly [number, number] };
}

/** acregmin, acregmax, acdirmin and acdirmax as they are by default. */
export const ATTRIBUTE_MS: Required<MountOptions>["attributeMs"] = {
  file: [3_000, 60_000],
  directory: [30_000, 60_000],
};
const SOFT_TIMEOUT_MS = 20_000;

/** How one machine's kernel talks to the file server: for as long as it takes, unless the mount is soft. */
export class NfsConnection implements NfsCallback {
  readonly machine: Machine;
  readonly server: NfsServer;
  readonly weather: Weather;
  readonly mount: MountOptions;
  /** How often the server was asked for what. */
  readonly calls: Map<string, number> = new Map();
  contactMs = 0;
  /** Takes a delegation back. */
  recalled: (node: FileNode) => void = () => undefined;
  #cutUntilMs = 0;

  constructor(machine: Machine, server: NfsServer, weather: Weather, mount: MountOptions) {
    this.machine = machine;
    this.server = server;
    this.weather = weather;
    this.mount = mount;
  }

  get isReachable(): boolean {
    return this.now >= this.#cutUntilMs && !this.machine.isPaused;
  }

  /** Milliseconds until it can be reached again. */
  get cutMs(): number {
    return Math.max(0, this.#cutUntilMs - this.now);
  }

  get now(): number {
    return this.machine.scheduler.now;
  }

  /** No packet passes between this machine and the server. */
  cut(durationMs: number): void {
    this.#cutUntilMs = Math.max(this.#cutUntilMs, this.now + durationMs);
  }

  /** Asks the server, again and again until there is an answer. */
  async rpc<Result>(
    name: string,
    execute: () => Result | Promise<Result>,
    operation: Operation = "read",
  ): Promise<Result> {
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
    for (;;) {
      await this.#reach(operation);
      const { boot } = this.server;
      const outcome = await settled(execute);
      await this.#reach(operation);
      this.contactMs = this.now;
      // A server that has restarted does not remember what it answered; the request is sent again.
      if (boot !== this.server.boot || this.weather.losesReply(operation)) continue;
      if ("error" in outcome) throw outcome.error;
      return outcome.value;
    }
  }

  /** One way to the server, or back, however long that takes. */
  async #reach(operation: Operation): Promise<void> {
    const began = this.now;
    await this.machine.kernelSleep(this.weather.delayMs(operation));
    for (;;) {
      const waitMs = Math.max(this.#cutUntilMs, this.server.upAtMs) - this.now;
      if (waitMs <= 0) return;
      const leftMs = began + SOFT_TIMEOUT_MS - this.now;
      if (this.mount.soft === true && waitMs > leftMs) {
        await this.machine.kernelSleep(leftMs);
        throw failure("EIO", "the server does not answer");
      }
      await this.machine.kernelSleep(waitMs);
    }
  }
}

async function settled<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ readonly value: Result } | { readonly error: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}
