/** Guests: User-Mode-Linux kernels with the host's files, on one bridge. All of it within the network of this process. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createWriteStream, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const GUEST = fileURLToPath(new URL("guest.sh", import.meta.url));
const NETWORK = "10.77.0";
const MEMORY = "320M";
const MOUNT_OPTIONS = "vers=4.1,hard,proto=tcp,timeo=600";
const IMAGE_BYTES = 1024 ** 3;
const POLL_MS = 50;

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

export const seconds = (count: number): Promise<void> => pause(count * 1000);

export class Guest {
  readonly name: string;
  readonly address: string;
  readonly #home: string;
  readonly #words: readonly string[];
  readonly #tap: string;
  #process: ChildProcess | undefined;

  constructor(name: string, host: number, home: string, words: readonly string[]) {
    this.name = name;
    this.address = `${NETWORK}.${host}`;
    this.#home = home;
    this.#words = words;
    this.#tap = `tap${host}`;
    ip("tuntap", "add", this.#tap, "mode", "tap");
    ip("link", "set", this.#tap, "master", "guests", "up");
  }

  boot(): void {
    const network = `vec0:transport=tap,ifname=${this.#tap},depth=128,gro=1`;
    const kernel = [
      "root=/dev/root",
      "rootfstype=hostfs",
      "rootflags=/",
      "ro",
      `init=${GUEST}`,
      "con=null",
      "con0=null,fd:1",
    ];
    const words = [
      `mem=${MEMORY}`,
      ...kernel,
      "quiet",
      network,
      `GUEST_ADDRESS=${this.address}/24`,
      `GUEST_WORK=${this.#home}`,
    ];
    const child = spawn("linux.uml", [...words, ...this.#words], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
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
  cut(): void {
    ip("link", "set", this.#tap, "nomaster");
  }

  heal(): void {
    ip("link", "set", this.#tap, "master", "guests");
  }

  /** How often it has said something on its console. */
  said(words: string): number {
    return existsSync(this.#console) ? readFileSync(this.#console, "utf8").split(words).length - 1 : 0;
  }

  get #console(): string {
    return `${this.#home}/${this.name}.console`;
  }
}

/** The bridge, a server with an empty volume that serves, and clients that run a command with it mounted at /mnt. */
export async function bootGuests(
  home: string,
  clients: readonly string[],
  command: string,
): Promise<{ server: Guest; clients: readonly Guest[] }> {
  mkdirSync(home, { recursive: true });
  ip("link", "set", "lo", "up");
  ip("link", "add", "guests", "type", "bridge");
  ip("address", "add", `${NETWORK}.1/24`, "dev", "guests");
  ip("link", "set", "guests", "up");
  const image = `${home}/volume.image`;
  writeFileSync(image, "");
  truncateSync(image, IMAGE_BYTES);
  execFileSync("mkfs.ext4", ["-q", "-F", image]);
  const server = new Guest("server", 2, home, ["GUEST_ROLE=server", `ubd0=${image}`]);
  server.boot();
  await until("the server exports its volume", 60, () => server.said("guest: serves") > 0);
  const words = [
    `GUEST_SERVER=${server.address}`,
    `GUEST_OPTIONS=${MOUNT_OPTIONS}`,
    "GUEST_ROLE=client",
    `GUEST_RUN="${command}"`,
  ];
  const guests = clients.map((name, at) => new Guest(name, 3 + at, home, words));
  for (const guest of guests) guest.boot();
  return { server, clients: guests };
}
