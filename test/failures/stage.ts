// A broker with the library of faults in it, and the clients that use it.
import { readFileSync } from "node:fs";
import { pause } from "../crash/actor.js";
import { awaitLeaders, createTopic } from "../crash/topics.js";
import { BrokerProcess } from "../lib/broker-process.js";
import { freePort } from "../lib/free-port.js";
import { WireClient } from "../lib/wire-client.js";
import type { ClientLoop } from "./client-loop.js";
import { type Fault, FaultFile, type InjectedFault } from "./fault-file.js";

const PROPERTIES = ["group.initial.rebalance.delay.ms=0", "offsets.topic.num.partitions=5"];

export class Stage {
  readonly broker: BrokerProcess;
  readonly #faults: FaultFile;
  readonly #clients: ClientLoop[] = [];

  private constructor(broker: BrokerProcess, faults: FaultFile) {
    this.broker = broker;
    this.#faults = faults;
  }

  /** `directory` exists; what `properties` says comes on top. */
  static async start(library: string, directory: string, properties: readonly string[] = []): Promise<Stage> {
    const faults = new FaultFile(`${directory}/faults`);
    const broker = new BrokerProcess("kaas", await freePort(), directory);
    broker.environment = { KAAS_PRELOAD: library, KAAS_FAULTS: faults.path, UV_USE_IO_URING: "0" };
    await broker.start(...PROPERTIES, ...properties);
    return new Stage(broker, faults);
  }

  /** Of the broker's process, as the kernel counts it. */
  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.broker.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  }

  inject(fault: Fault): InjectedFault {
    return this.#faults.inject(fault);
  }

  async topic(name: string, partitions: number, configs: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.ask(async (client) => {
      const { errorCode } = await createTopic(client, name, partitions, configs);
      if (errorCode !== 0) throw new Error(`${name} was refused with error ${errorCode}`);
      await awaitLeaders(client, name);
    });
  }

  /** Sends requests until it is stopped; what it knows is held against the broker in the end. */
  use<Client extends ClientLoop>(client: Client): Client {
    this.#clients.push(client);
    return client.start(this.broker.port);
  }

  async ask<Result>(what: (client: WireClient) => Promise<Result>): Promise<Result> {
    const client = await WireClient.connect(this.broker.port);
    try {
      return await what(client);
    } finally {
      client.close();
    }
  }

  /** An orderly end, and a start with empty caches; who used the broker has been stopped before. */
  async restart(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.stop()));
    await this.broker.stop();
    await this.broker.start();
  }

  /** SIGKILL, a start without faults, and all that is wrong with what is there then. */
  async problemsAfterKill(): Promise<string[]> {
    await Promise.all(this.#clients.map((client) => client.stop()));
    this.broker.kill();
    while (this.broker.isAlive()) await pause(10);
    this.broker.environment = {};
    await this.broker.start();
    const problems: string[] = [];
    await this.ask(async (client) => {
      for (const one of this.#clients) problems.push(...(await one.problems(client)));
    });
    await this.broker.stop();
    return problems;
  }

  end(): void {
    if (this.broker.isAlive()) this.broker.kill();
    this.#faults.close();
  }
}
