import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProcessHost } from "./process-host.js";
import { run } from "./run.js";

const FREE_PORT = ["--listeners", "PLAINTEXT://127.0.0.1:0"];

let directory: string;
let descriptor: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "kaas-run-"));
  descriptor = openSync(join(directory, "log"), "a");
});

afterEach(() => {
  closeSync(descriptor);
  rmSync(directory, { recursive: true, force: true });
});

/** A process that only notes what is asked of it. */
class FakeProcess implements ProcessHost {
  readonly environment: Record<string, string>;
  readonly isTerminal: boolean;
  readonly logDescriptor: number = descriptor;
  printed = "";
  errors = "";
  exitCode: number | undefined;
  readonly ended: Promise<number>;
  #end: (code: number) => void = () => undefined;
  readonly #signals = new Map<string, (signal: string) => void>();
  fail: (error: unknown) => void = () => undefined;

  constructor(environment: Record<string, string> = {}, isTerminal = false) {
    this.environment = environment;
    this.isTerminal = isTerminal;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  print(text: string): void {
    this.printed += text;
  }
  printError(text: string): void {
    this.errors += text;
  }
  onSignal(signal: string, stop: (signal: string) => void): void {
    this.#signals.set(signal, stop);
  }
  onUncaught(failed: (error: unknown) => void): void {
    this.fail = failed;
  }
  exit(code: number): void {
    this.#end(code);
  }
  setExitCode(code: number): void {
    this.exitCode = code;
  }
  signal(name: string): void {
    this.#signals.get(name)?.(name);
  }
  get log(): string {
    return readFileSync(join(directory, "log"), "utf8");
  }
}

describe("what ends at once", () => {
  test("help and the version", async () => {
    const host = new FakeProcess();
    await run(["--help"], host);
    expect(host.printed).toContain("--data-dir DIR");
    const other = new FakeProcess();
    await run(["--version"], other);
    expect(other.printed).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    [["--nonsense"], {}, "unknown option --nonsense"],
    [["--memory"], { KAAS_LOG_LEVEL: "loud" }, "KAAS_LOG_LEVEL: loud is not one of trace"],
    [["--memory", "--listeners", "SSL://127.0.0.1:0"], {}, "listener SSL has no certificate"],
  ])("%j %j is a wrong use", async (args, environment, message) => {
    const host = new FakeProcess(environment);
    await run(args, host);
    expect(host.exitCode).toBe(2);
    expect(host.errors).toContain(message);
    expect(host.errors).toContain("Try kaas-broker --help");
  });
});

describe("a broker", () => {
  test("announces itself, and stops when asked, once however often", async () => {
    const host = new FakeProcess({ KAAS_LOG_LEVEL: "INFO" });
    await run(["--memory", ...FREE_PORT], host);
    expect(host.log).toContain('"mode":"memory"');
    host.signal("SIGTERM");
    host.signal("SIGINT");
    expect(await host.ended).toBe(0);
    expect(host.log.match(/: stopping/g)).toHaveLength(1);
    expect(host.log).toContain('"msg":"stopped"');
  });

  test("speaks to a person without the fields that the sentence has", async () => {
    const host = new FakeProcess({}, true);
    await run(["--data-dir", join(directory, "data"), ...FREE_PORT], host);
    expect(host.log).toContain("mode single node");
    expect(host.log).not.toContain('"listeners"');
    host.signal("SIGINT");
    expect(await host.ended).toBe(0);
  });

  test("ends with 1 where the world does not cooperate, and says why", async () => {
    const host = new FakeProcess();
    await run(["--data-dir", "/dev/null/x", ...FREE_PORT], host);
    expect(await host.ended).toBe(1);
    expect(host.log).toMatch(/KAAS_STORAGE_FAILED.*the broker does not start/);
  });

  test("ends with 1 on an error that nothing expected", async () => {
    const host = new FakeProcess();
    await run(["--memory", ...FREE_PORT], host);
    host.fail(new Error("surprise"));
    expect(await host.ended).toBe(1);
    expect(host.log).toContain("surprise");
    host.signal("SIGTERM");
    while (!host.log.includes('"stopped"')) await new Promise((resolve) => setImmediate(resolve));
  });
});
