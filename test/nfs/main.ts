// main.ts DIRECTORY: brokers' storage on a real NFS server, with real clients in kernels of their own. The leader is cut
// off from the server for longer than any time-out while another takes over; then the server loses its power under load.
// Prints ok/FAIL lines, then 'done'. Run by run.sh, in a network of its own.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ContenderClient } from "./contender-client.js";
import { bootGuests, seconds, until } from "./guests.js";

const CUT_SECONDS = 35;
const [home = ""] = process.argv.slice(2);

interface Opened {
  readonly epoch: number;
  readonly offset: number;
}
interface State {
  readonly acknowledged: number;
  readonly sent: number;
  readonly fenced: string;
}
interface Content {
  readonly start: number;
  readonly end: number;
  readonly records: readonly (readonly [number, string])[];
}

function acknowledgedTo(name: string): (readonly [number, string])[] {
  const file = `${home}/${name}.acknowledged`;
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "))
    .map(([offset, value]) => [Number(offset), value ?? ""] as const);
}

/** What speaks against a partition's content, beside all that was ever acknowledged. */
function problems({ start, end, records }: Content, names: readonly string[]): string[] {
  const found: string[] = [];
  const byOffset = new Map(records);
  if (records.length !== end - start) found.push(`${records.length} records between offsets ${start} and ${end}`);
  const values = new Set(records.map(([, value]) => value));
  if (values.size !== records.length) found.push(`${records.length - values.size} records are there twice`);
  for (const [offset, value] of names.flatMap(acknowledgedTo)) {
    const there = byOffset.get(offset);
    if (there !== value) found.push(`${value} was acknowledged at offset ${offset}, where ${there ?? "nothing"} is`);
  }
  return found;
}

function check(name: string, faults: readonly string[], detail = ""): void {
  if (faults.length === 0) console.log(`ok    ${name}${detail === "" ? "" : `: ${detail}`}`);
  else
    console.log(
      `FAIL  ${name}: ${faults.slice(0, 3).join("; ")}${faults.length > 3 ? `; ${faults.length} in all` : ""}`,
    );
}

const contender = fileURLToPath(new URL("contender.mjs", import.meta.url));
const { server, clients } = await bootGuests(home, ["a", "b"], `${process.execPath} ${contender} /mnt`);
const [guestA, guestB] = clients;
if (guestA === undefined || guestB === undefined) throw new Error("two guests were asked for");
const [a, b] = [new ContenderClient(guestA), new ContenderClient(guestB)];
try {
  await Promise.all([a.connect(), b.connect()]);

  const first = await a.ask<Opened>("open", "kaas-0");
  await a.ask("produce");
  await until("the leader is acknowledged", 60, async () => (await a.ask<State>("state")).acknowledged >= 200);
  guestA.cut();
  const cutAt = performance.now();
  const second = await b.ask<Opened>("open", "kaas-1");
  const tookSeconds = (performance.now() - cutAt) / 1000;
  await b.ask("produce");
  check(
    "a leader that is cut off from the server is taken over from",
    second.epoch > first.epoch ? [] : [`epoch ${second.epoch} after ${first.epoch}`],
    `within ${tookSeconds.toFixed(1)} s, at epoch ${second.epoch} from offset ${second.offset}`,
  );
  await until("the new leader is acknowledged", 60, async () => (await b.ask<State>("state")).acknowledged >= 200);
  await seconds(Math.max(0, CUT_SECONDS - (performance.now() - cutAt) / 1000));
  guestA.heal();
  await until(
    "the deposed leader learns of it",
    120,
    async () => (await a.ask<State>("state")).fenced === "KAAS_FENCED",
  );
  const { acknowledged } = await a.ask<State>("stop");
  const late = acknowledgedTo("kaas-0").filter(([offset]) => offset >= second.offset);
  check(
    `the deposed leader acknowledges nothing, after ${CUT_SECONDS} s without the server`,
    late.map(([offset, value]) => `${value} at offset ${offset}, which is the new leader's`),
    `${acknowledged} before`,
  );
  await a.ask("close");

  const before = (await b.ask<State>("state")).acknowledged;
  await server.kill();
  server.boot();
  await until("the server is back", 60, () => server.said("guest: serves") > 1);
  const backAt = performance.now();
  await until("acknowledgements go on", 180, async () => (await b.ask<State>("state")).acknowledged > before + 200);
  check(
    "the server loses its power under load, and comes back",
    [],
    `records go on ${((performance.now() - backAt) / 1000).toFixed(1)} s later`,
  );
  const stopped = await b.ask<State>("stop");
  check("the leader is the same", stopped.fenced === "" ? [] : [stopped.fenced]);

  const third = await a.ask<Opened>("open", "kaas-0");
  const content = await a.ask<Content>("read");
  const total = acknowledgedTo("kaas-0").length + acknowledgedTo("kaas-1").length;
  check(
    "all that was acknowledged is there, once, at its offset",
    problems(content, ["kaas-0", "kaas-1"]),
    `${total} acknowledged, ${content.records.length} there, epochs ${first.epoch}, ${second.epoch} and ${third.epoch}`,
  );
} catch (error) {
  console.log(`FAIL  ${(error as Error).message}`);
} finally {
  a.end();
  b.end();
  await Promise.all([server, ...clients].map((guest) => guest.kill()));
}
console.log("done");
