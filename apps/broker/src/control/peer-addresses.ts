import { PEERS_ENDPOINT_PREFIX } from "./control-settings.js";
import type { LeaseIdentity } from "./lease-identity.js";

/** A broker of an assignment. */
export interface KnownProcess {
  readonly name: string;
  readonly incarnation: string;
}

/** Reads what a process has written on the volume of where it is reached; undefined where it is gone. */
export type ReadEndpoints = (process: LeaseIdentity) => Promise<readonly string[] | undefined>;

/**
 * Where other brokers are reached. That of a process never changes, and is read ahead of time: a broker that the volume
 * does not answer has to find the next controller without it.
 */
export class PeerAddresses {
  readonly #read: ReadEndpoints;
  readonly #known = new Map<string, string>();
  #wanted: readonly KnownProcess[] = [];
  #isLearning = false;

  constructor(read: ReadEndpoints) {
    this.#read = read;
  }

  /** These are all brokers that there are. One is asked about at a time: while the volume hangs, one question does. */
  async learn(brokers: readonly KnownProcess[]): Promise<void> {
    const current = new Set(brokers.map(({ incarnation }) => incarnation));
    for (const incarnation of this.#known.keys()) if (!current.has(incarnation)) this.#known.delete(incarnation);
    this.#wanted = brokers.filter(({ incarnation }) => !this.#known.has(incarnation));
    if (this.#isLearning) return;
    this.#isLearning = true;
    for (let [next] = this.#wanted; next !== undefined; [next] = this.#wanted) {
      await this.of({ broker: next.name, incarnation: next.incarnation }).catch(() => undefined);
      this.#wanted = this.#wanted.filter((one) => one !== next);
    }
    this.#isLearning = false;
  }

  /** `host:port`; undefined where it is not known. Rejects where the volume cannot be read. */
  async of(process: LeaseIdentity): Promise<string | undefined> {
    const known = this.#known.get(process.incarnation);
    if (known !== undefined) return known;
    const endpoint = (await this.#read(process))?.find((text) => text.startsWith(PEERS_ENDPOINT_PREFIX));
    const address = endpoint?.slice(PEERS_ENDPOINT_PREFIX.length);
    if (address !== undefined) this.#known.set(process.incarnation, address);
    return address;
  }
}
