import { assert, KaasError } from "../errors/kaas-error.js";
import type { ClusterFiles } from "../ports/cluster-files.js";
import type { BrokerConfigDefinition } from "./broker-config-definition.js";
import { brokerConfigsByName } from "./broker-config-definitions.js";
import type { ConfigValue } from "./config-definition.js";
import { parseConfigValue } from "./config-value.js";
import {
  type ConfigTexts,
  type DynamicConfigs,
  readDynamicConfigs,
  writeDynamicConfigs,
} from "./dynamic-broker-configs.js";
import { SerialQueue } from "./serial-queue.js";
import { checkStaticConfigs } from "./static-broker-configs.js";

/** Where a value comes from; the strongest first. */
export type BrokerConfigSource = "broker" | "cluster" | "static" | "default";

/** A value and where it comes from. */
export interface SourcedText {
  readonly name: string;
  /** As it was given. */
  readonly given: string;
  /** In the unit of the configuration that was asked for. */
  readonly text: string;
  readonly source: BrokerConfigSource;
}

/**
 * The configuration of a broker, under Kafka's names. What was given at the start stays; above it lie values that
 * were set at run time for the whole cluster, and above those the ones for this broker. Reading is cheap: values are
 * parsed once.
 */
export class BrokerConfig {
  /** What to tell the operator about configurations that were given and do nothing. */
  readonly warnings: readonly string[];
  /** Alterations of configurations, of whatever kind: each reads, changes and stores, so they run one at a time. */
  readonly alterations: SerialQueue = new SerialQueue();
  /** What was set for one listener alone, by the whole name (`listener.name.internal.ssl.keystore.location`). */
  readonly listenerValues: ReadonlyMap<string, string>;
  readonly #static: ReadonlyMap<string, string>;
  readonly #parsed = new Map<string, ConfigValue>();
  readonly #listeners = new Set<() => void>();
  #dynamic: DynamicConfigs = { cluster: {}, brokers: {} };
  /** Of what was set at run time, as it is stored. */
  #version = 0;
  #files: ClusterFiles | undefined;

  /** @throws KaasError KAAS_CONFIG_INVALID naming the configuration that is unknown, unreadable or not supported. */
  constructor(values: Readonly<Record<string, string>>) {
    const { values: checked, listenerValues, warnings } = checkStaticConfigs(values);
    this.#static = checked;
    this.listenerValues = listenerValues;
    this.warnings = warnings;
  }

  get nodeId(): number {
    return this.number("node.id");
  }

  /** A number; of a configuration that has a value. */
  number(name: string): number {
    const value = this.#value(name);
    assert(typeof value === "number", `${name} is a number`);
    return value;
  }

  /** A truth value. */
  boolean(name: string): boolean {
    const value = this.#value(name);
    assert(typeof value === "boolean", `${name} is true or false`);
    return value;
  }

  /** The items of a list; none when it has no value. */
  list(name: string): readonly string[] {
    const value = this.#value(name) ?? [];
    assert(Array.isArray(value), `${name} is a list`);
    return value as readonly string[];
  }

  /** A value in its text form; undefined when there is none. */
  text(name: string): string | undefined {
    return this.sourced(name)[0]?.text;
  }

  /** Every value that a name has, the one in force first: of the name itself, then of those it falls back to. */
  sourced(name: string): readonly SourcedText[] {
    const definition = definitionOf(name);
    return [...this.#layers(definition), ...this.#fallbacks(definition)];
  }

  /** What was set at run time for the whole cluster (no node id) or for one broker. */
  dynamicTexts(nodeId?: number): ConfigTexts {
    return nodeId === undefined ? this.#dynamic.cluster : (this.#dynamic.brokers[nodeId] ?? {});
  }

  /** Reads what was set at run time in an earlier life, and stores there what is set from now on. */
  async loadDynamic(files: ClusterFiles): Promise<void> {
    this.#files = files;
    const { version, configs } = await readDynamicConfigs(files);
    this.#adopt(version, configs);
  }

  /** Reads again what was set at run time, which other brokers of the cluster may have changed. */
  async refreshDynamic(): Promise<void> {
    if (this.#files === undefined) return;
    const { version, configs } = await readDynamicConfigs(this.#files);
    if (version > this.#version) this.#replace(version, configs);
  }

  /**
   * Replaces what is set at run time for the whole cluster or for one broker. In force, and told to the listeners,
   * once it is durable. Values were validated by the caller. False, and nothing is changed, where another broker has
   * set something that this one has not read yet.
   */
  async setDynamic(nodeId: number | undefined, texts: ConfigTexts): Promise<boolean> {
    const version = this.#version;
    const dynamic =
      nodeId === undefined
        ? { ...this.#dynamic, cluster: texts }
        : { ...this.#dynamic, brokers: { ...this.#dynamic.brokers, [nodeId]: texts } };
    const isWritten = this.#files === undefined || (await writeDynamicConfigs(this.#files, version, dynamic));
    // It may have been read back before, or something newer that another broker has set since.
    if (isWritten && version + 1 > this.#version) this.#replace(version + 1, dynamic);
    return isWritten;
  }

  /** Calls back after values changed; the returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #replace(version: number, dynamic: DynamicConfigs): void {
    const isOther = JSON.stringify(dynamic) !== JSON.stringify(this.#dynamic);
    this.#adopt(version, dynamic);
    if (isOther) for (const listener of this.#listeners) listener();
  }

  #adopt(version: number, dynamic: DynamicConfigs): void {
    this.#version = version;
    this.#dynamic = dynamic;
    this.#parsed.clear();
  }

  #value(name: string): ConfigValue | undefined {
    const known = this.#parsed.get(name);
    if (known !== undefined) return known;
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = parse(definitionOf(name), text);
    this.#parsed.set(name, value);
    return value;
  }

  #layers({ name, defaultValue }: BrokerConfigDefinition): SourcedText[] {
    const texts: readonly (readonly [BrokerConfigSource, string | null | undefined])[] = [
      ["broker", this.#dynamic.brokers[this.#nodeIdText()]?.[name]],
      ["cluster", this.#dynamic.cluster[name]],
      ["static", this.#static.get(name)],
      ["default", defaultValue],
    ];
    const found: SourcedText[] = [];
    for (const [source, text] of texts) {
      if (text !== undefined && text !== null) found.push({ name, given: text, text, source });
    }
    return found;
  }

  #fallbacks(definition: BrokerConfigDefinition): SourcedText[] {
    return (definition.fallbacks ?? []).flatMap(({ name, scale }) =>
      this.#layers(definitionOf(name)).map((sourced) => ({ ...sourced, text: scaled(sourced.text, scale) })),
    );
  }

  /** Not changeable at run time, so it is read from below the dynamic layers; it is always there. */
  #nodeIdText(): string {
    return this.#static.get("node.id") as string;
  }
}

function definitionOf(name: string): BrokerConfigDefinition {
  const definition = brokerConfigsByName.get(name);
  assert(definition !== undefined, `${name} is a broker config`);
  return definition;
}

function parse(definition: BrokerConfigDefinition, text: string): ConfigValue {
  const parsed = parseConfigValue(definition, text);
  if ("problem" in parsed) throw new KaasError("KAAS_CONFIG_INVALID", parsed.problem);
  return parsed.value;
}

/** A value in the unit of the configuration that falls back to it. Negative ones mean no limit in any unit. */
function scaled(text: string, scale: number): string {
  if (scale === 1) return text;
  return text.trim().startsWith("-") ? "-1" : String(BigInt(text.trim()) * BigInt(scale));
}
