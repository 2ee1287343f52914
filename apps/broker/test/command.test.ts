import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BrokerProcess, type Ended, temporaryDirectory } from "./spawn-broker.js";

const FREE_PORT = ["--listeners", "PLAINTEXT://127.0.0.1:0"];

let directory: ReturnType<typeof temporaryDirectory>;
let processes: BrokerProcess[];

beforeEach(() => {
  directory = temporaryDirectory();
  processes = [];
});

afterEach(async () => {
  for (const broker of processes) broker.kill("SIGKILL");
  await Promise.all(processes.map((broker) => broker.ended()));
  directory.remove();
});

function start(args: string[], environment: Record<string, string> = {}): BrokerProcess {
  const broker = new BrokerProcess(args, environment);
  processes.push(broker);
  return broker;
}

const data = (): string[] => ["--data-dir", join(directory.path, "data")];
const run = (args: string[], environment?: Record<string, string>): Promise<Ended> => start(args, environment).ended();

describe("what ends at once", () => {
  test("--help and --version print to the standard output", async () => {
    const [help, version] = await Promise.all([run(["--help"]), run(["--version"])]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain("--data-dir DIR");
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    expect(version).toMatchObject({ code: 0, stdout: `${(JSON.parse(manifest) as { version: string }).version}\n` });
  });

  test.each<[string[], Record<string, string>, string]>([
    [["--data-dri", "x"], {}, "unknown option --data-dri; did you mean --data-dir?"],
    [["--memory", "--override", "num.partitons=1"], {}, "--override: Unknown broker config name: num.partitons."],
    [["--memory"], { KAAS_CFG_NUM_PARTITIONS: "x" }, "KAAS_CFG_NUM_PARTITIONS: Invalid value x"],
    [["--memory", "--listeners", "SSL://127.0.0.1:0"], {}, "listener SSL has no certificate"],
    [["--memory"], { KAAS_LISTENERS: '[{"name":"a","port":0,"tls":true}]' }, "listener A has no certificate"],
    [["--memory"], { KAAS_LOG_LEVEL: "loud" }, "KAAS_LOG_LEVEL: loud is not one of trace, debug, info"],
    [["--config", "/no/such/file"], {}, "--config /no/such/file cannot be read"],
  ])("%j %j is a wrong use, told in one line, with exit code 2", async (args, environment, message) => {
    const ended = await run(args, environment);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(`kaas-broker: `);
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).toContain("Try kaas-broker --help");
  });
});

describe("a broker", () => {
  test("says what it is, stops on SIGTERM with 0, and is the same cluster when it starts again", async () => {
    const first = start([...data(), ...FREE_PORT]);
    const announced = await first.announced();
    expect(announced).toMatchObject({
      level: "info",
      listeners: [expect.stringMatching(/^PLAINTEXT:\/\/127\.0\.0\.1:[1-9]\d+$/)],
      dataDirectory: join(directory.path, "data"),
      clusterId: expect.stringMatching(/^[\w-]{22}$/),
      mode: "single node",
    });
    for (const told of [announced.listeners[0], announced.dataDirectory, announced.clusterId, announced.mode]) {
      expect(announced.msg).toContain(told);
    }
    first.kill("SIGTERM");
    expect(await first.ended()).toMatchObject({ code: 0, stderr: "" });

    const second = start([...data(), ...FREE_PORT]);
    expect((await second.announced()).clusterId).toBe(announced.clusterId);
    second.kill("SIGINT");
    expect((await second.ended()).code).toBe(0);
  });

  test("in memory leaves nothing on the disk", async () => {
    const environment = { KAAS_DATA_DIR: join(directory.path, "data") };
    const broker = start(["--memory", ...FREE_PORT], environment);
    expect(await broker.announced()).toMatchObject({ mode: "memory", dataDirectory: null });
    broker.kill("SIGTERM");
    await broker.ended();
    expect(readdirSync(directory.path)).toEqual([]);
  });

  test("takes a file, and warns of what does nothing there", async () => {
    const file = join(directory.path, "server.properties");
    writeFileSync(file, "num.io.threads=8\nlisteners=PLAINTEXT://127.0.0.1:0\nzookeeper.connect=localhost:2181\n");
    const broker = start(["--memory", "--config", file]);
    await broker.announced();
    broker.kill("SIGTERM");
    const { stdout } = await broker.ended();
    expect(stdout).toContain('"level":"warn"');
    expect(stdout).toContain("no effect in kaas: num.io.threads");
    expect(stdout).toContain("no effect in kaas: zookeeper.connect (there is no ZooKeeper)");
  });

  test("says less when asked to", async () => {
    const broker = start(["--memory", ...FREE_PORT], { KAAS_LOG_LEVEL: "DEBUG" });
    await broker.announced();
    broker.kill("SIGTERM");
    expect((await broker.ended()).stdout).not.toBe("");
    const quiet = start(["--data-dir", "/dev/null/x", ...FREE_PORT], { KAAS_LOG_LEVEL: "fatal" });
    expect(await quiet.ended()).toMatchObject({ code: 1, stdout: "" });
  });

  test("a port that is taken, and a directory that is, end the second with 1 and a code", async () => {
    const first = start([...data(), ...FREE_PORT]);
    const { listeners } = await first.announced();
    const [port, lock] = await Promise.all([
      run(["--memory", "--listeners", listeners[0] as string]),
      run([...data(), ...FREE_PORT]),
    ]);
    expect(port).toMatchObject({ code: 1, stdout: expect.stringContaining("KAAS_LISTENER_FAILED") });
    expect(lock).toMatchObject({ code: 1, stdout: expect.stringContaining("KAAS_VOLUME_LOCKED") });
  });

  test.runIf(process.platform === "linux")("has the threads that many fsyncs at once need", async () => {
    const broker = start([...data(), ...FREE_PORT]);
    await broker.announced();
    expect(readdirSync(`/proc/${broker.pid}/task`).length).toBeGreaterThan(16);
  });
});
