/** Guests: User-Mode-Linux kernels with the host's files, on bridges. All of it within the network of this process. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createWriteStream, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const GUEST = fileURLToPath(new URL("guest.sh", import.meta.url));
/** As brokers want it; a request is sent again after 10 s instead of 60, so that nobody waits longer than the server is away. */
const MOUNT_OPTIONS = "vers=4.1,hard,proto=tcp,timeo=100";
const POLL_MS = 50;
/** This process, in every network. */
const HOST = 1;

/**
 * What can be cut apart from the rest: the way to the NFS server, the way to other brokers and the API server, and the way
 * to clients.
 */
const NETWORKS = { storage: "10.77.0", cluster: "10.77.1", clients: "10.77.2" } as const;
export type Network = keyof typeof NETWORKS;

const ip = (...words: string[]): void => void execFileSync("ip", words, { stdio: ["ignore", "ignore", "pipe"] });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves once something is so; the world of the guests does not tell when. */
export async function until(what: string, seconds: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await pause(POLL_MS);
  }
}

export const seconds = (count: number): Promise<void> => pause(Math.max(0, count) * 1000);

const addressOn = (network: Network, host: number): string => `${NETWORKS[network]}.${host}`;
export const hostOn = (network: Network): string => addressOn(network, HOST);

/** A bridge for each network, with this process at one of its ends. */
export function makeNetworks(): void {
  ip("link", "set", "lo", "up");
  for (const network of Object.keys(NETWORKS) as Network[]) {
    ip("link", "add", network, "type", "bridge");
    ip("address", "add", `${hostOn(network)}/24`, "dev", network);
    ip("link", "set", network, "up");
  }
}

export interface GuestOptions {
  readonly name: string;
  /** Its number in every network. */
  readonly number: number;
  readonly networks: readonly Network[];
  /** A folder of this machine that it may write to. */
  readonly home: string;
  readonly memory: string;
  /** What it is and does; see guest.sh. */
  readonly words: readonly string[];
}

export class Guest {
  readonly name: string;
  readonly #options: GuestOptions;
  #process: ChildProcess | undefined;

  constructor(options: GuestOptions) {
    this.name = options.name;
    this.#options = options;
    for (const network of options.networks) {
      ip("tuntap", "add", this.#tap(network), "mode", "tap");
      ip("link", "set", this.#tap(network), "master", network, "up");
    }
  }

  address(network: Network): string {
    return addressOn(network, this.#options.number);
  }

  boot(): void {
    const { networks, home, memory, words } = this.#options;
    const kernel = [
      `mem=${memory}`,
      "root=/dev/root",
      "rootfstype=hostfs",
      "rootflags=/",
      "ro",
      `init=${GUEST}`,
      "con=null",
      "con0=null,fd:1",
      "quiet",
    ];
    const devices = networks.map(
      (network, index) => `vec${index}:transport=tap,ifname=${this.#tap(network)},depth=128,gro=1`,
    );
    const addresses = networks.map((network) => `${this.address(network)}/24`).join(",");
    const about = [`GUEST_NAME=${this.name}`, `GUEST_ADDRESSES=${addresses}`, `GUEST_WORK=${home}`, ...words];
    const child = spawn("linux.uml", [...kernel, ...devices, ...about], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const console = createWriteStream(this.#console, { flags: "a" });
    child.stdout.pipe(console, { end: false });
    child.stderr.pipe(console, { end: false });
    this.#process = child;
  }

  /** As if its power were cut: what its kernel holds in memory is gone. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-child.pid, "SIGKILL");
    await gone;
  }

  /** No packet comes or goes. The device stays: a kernel that sees it go does not take it up again. */
  cut(network: Network): void {
    ip("link", "set", this.#tap(network), "nomaster");
  }

  heal(network: Network): void {
    ip("link", "set", this.#tap(network), "master", network);
  }

  /** How often it has said something on its console. */
  said(words: string): number {
    return existsSync(this.#console) ? readFileSync(this.#console, "utf8").split(words).length - 1 : 0;
  }

  #tap(network: Network): string {
    return `${network}${this.#options.number}`;
  }

  get #console(): string {
    return `${this.#options.home}/${this.name}.console`;
  }
}

/** Exports the file system in an image, and keeps the book on the epochs of a topic. */
export function serverGuest(home: string, image: string, topic: string): Guest {
  const words = ["GUEST_ROLE=server", `GUEST_TOPIC=${topic}`, `ubd0=${image}`];
  return new Guest({ name: "server", number: 2, networks: ["storage"], home, memory: "320M", words });
}

/** Runs a command with the server's file system at /mnt, and again whenever it ends. */
export function clientGuest(home: string, name: string, number: number, server: Guest, command: string): Guest {
  const words = [
    "GUEST_ROLE=client",
    `GUEST_SERVER=${server.address("storage")}`,
    `GUEST_OPTIONS=${MOUNT_OPTIONS}`,
    `GUEST_RUN="${command}"`,
  ];
  return new Guest({ name, number, networks: ["storage", "cluster", "clients"], home, memory: "512M", words });
}
