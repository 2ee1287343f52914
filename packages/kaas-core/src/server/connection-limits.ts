import { lookup } from "node:dns/promises";
import { KaasError } from "../errors/kaas-error.js";
import type { ServerLimits } from "./server-limits.js";

/** Counts connections by address and in all, and says which may come in. */
export class ConnectionLimits {
  readonly #limits: ServerLimits;
  readonly #overrides: ReadonlyMap<string, number>;
  readonly #byAddress = new Map<string, number>();
  #total = 0;

  constructor(limits: ServerLimits, overrides: ReadonlyMap<string, number>) {
    this.#limits = limits;
    this.#overrides = overrides;
  }

  /** Lets a connection in, or answers why not. */
  admit(address: string): string | undefined {
    if (this.#total >= this.#limits.maxConnections) return `max.connections=${this.#limits.maxConnections} is reached`;
    const count = this.#byAddress.get(address) ?? 0;
    const limit = this.#overrides.get(address) ?? this.#limits.maxConnectionsPerIp;
    if (count >= limit) return `${address} has ${count} connections, as many as max.connections.per.ip allows it`;
    this.#byAddress.set(address, count + 1);
    this.#total++;
    return undefined;
  }

  release(address: string): void {
    this.#total--;
    const count = (this.#byAddress.get(address) ?? 1) - 1;
    if (count === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, count);
  }
}

/** An IPv4 address that came in over an IPv6 socket, in its own form. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice("::ffff:".length) : address;
}

/**
 * Reads `max.connections.per.ip.overrides`, looking names up.
 *
 * @throws KaasError KAAS_CONFIG_INVALID naming the item that is wrong.
 */
export async function parseConnectionOverrides(text: string): Promise<ReadonlyMap<string, number>> {
  const overrides = new Map<string, number>();
  for (const item of text.split(",")) {
    if (item.trim() === "") continue;
    const match = /^(?:\[([^\]]+)\]|(.+?)):(\d+)$/.exec(item.trim());
    if (match === null) throw invalid(`"${item.trim()}" is not HOST:COUNT`);
    const host = (match[1] ?? match[2]) as string;
    for (const address of await resolve(host)) overrides.set(plainAddress(address), Number(match[3]));
  }
  return overrides;
}

async function resolve(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw invalid(`the host "${host}" is not known`, cause);
  }
}

function invalid(what: string, cause?: unknown): KaasError {
  return new KaasError("KAAS_CONFIG_INVALID", `max.connections.per.ip.overrides: ${what}`, { cause });
}
