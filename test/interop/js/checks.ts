// What the client programs of this folder share: named checks, and what a client leaves for the others.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";

export const codecs = ["none", "gzip", "snappy", "lz4", "zstd"] as const;
export type Codec = (typeof codecs)[number];

/** How many records of each codec a client leaves. */
export const each = 25;
export const leftValue = (i: number): string => `value-${i}-${"x".repeat(200)}`;

export type Read = {
  readonly offset: string;
  readonly key: string;
  readonly value: string;
  readonly codec: string | undefined;
};

let failed = 0;

export async function check(name: string, body: () => Promise<void>): Promise<void> {
  const began = performance.now();
  try {
    await body();
    console.log(`ok    ${name} (${Math.round(performance.now() - began)} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}: ${String(error).replaceAll("\n", " ").slice(0, 400)}`);
    console.error(error);
  }
}

export function fresh(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString("hex")}`;
}

export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within a minute: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What another client left must be there, in order, byte for byte. */
export function checkLeft(records: readonly Read[], count: number): void {
  assert.equal(records.length, count);
  for (const [at, record] of records.entries()) {
    const codec = record.key.slice(0, record.key.lastIndexOf("-"));
    assert.equal(record.offset, String(at));
    assert.equal(record.key, `${codec}-${at % each}`);
    assert.equal(record.value, leftValue(at % each));
    assert.equal(record.codec, codec);
  }
}

export type Program = {
  readonly check: () => Promise<void>;
  readonly leave: (name: string) => Promise<void>;
  readonly verify: (name: string, count: number) => Promise<void>;
  /** Why this client cannot read what another left, if so. */
  readonly cannotRead?: (name: string) => string | undefined;
};

/** The broker's address. */
export const bootstrap: string = process.argv[3] ?? "";

/** PROGRAM check|leave|verify HOST:PORT …, as ../java/src/Main.java. */
export async function main(program: Program): Promise<never> {
  const [mode, , ...args] = process.argv.slice(2);
  if (mode === "check") await program.check();
  if (mode === "leave") await check("leave records and an offset", () => program.leave(args[0] ?? ""));
  for (const arg of mode === "verify" ? args : []) {
    const [name = "", count] = arg.split("=");
    const why = program.cannotRead?.(name);
    if (why === undefined) await check(`read what ${name} left`, () => program.verify(name, Number(count)));
    else console.log(`skip  read what ${name} left: ${why}`);
  }
  console.log("done");
  process.exit(failed === 0 ? 0 : 1);
}
