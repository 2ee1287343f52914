import { assert, KaasError } from "../errors/kaas-error.js";
import type { BrokerConfig } from "./broker-config.js";
import { brokerConfigsByName } from "./broker-config-definitions.js";
import type { ConfigValue } from "./config-definition.js";
import { parseConfigValue } from "./config-value.js";

/**
 * The configuration as one listener sees it: its own value (`listener.name.<listener>.…`, in lower case) where it has
 * one, else that of all listeners.
 */
export class ListenerConfig {
  readonly listenerName: string;
  readonly #config: BrokerConfig;
  readonly #prefix: string;

  constructor(config: BrokerConfig, listenerName: string) {
    this.#config = config;
    this.listenerName = listenerName;
    this.#prefix = `listener.name.${listenerName.toLowerCase()}.`;
  }

  /** Whether the listener has a value of its own. */
  hasOwn(name: string): boolean {
    return this.#own(name) !== undefined;
  }

  text(name: string): string | undefined {
    return this.#own(name) ?? this.#config.text(name);
  }

  list(name: string): readonly string[] {
    const own = this.#own(name);
    return own === undefined ? this.#config.list(name) : (parsed(name, own) as readonly string[]);
  }

  /** Of the listener's mechanism where that has one: `listener.name.<listener>.<mechanism>.…`. */
  numberOf(mechanism: string, name: string): number {
    const own = this.textOf(mechanism, name) ?? this.#own(name);
    return own === undefined ? this.#config.number(name) : (parsed(name, own) as number);
  }

  /** What the listener's mechanism has for itself; Kafka takes `sasl.jaas.config` from nowhere else. */
  textOf(mechanism: string, name: string): string | undefined {
    return this.#own(`${mechanism.toLowerCase()}.${name}`);
  }

  #own(name: string): string | undefined {
    return this.#config.listenerValues.get(`${this.#prefix}${name}`);
  }
}

function parsed(name: string, text: string): ConfigValue {
  const definition = brokerConfigsByName.get(name);
  assert(definition !== undefined, `${name} is a broker config`);
  const result = parseConfigValue(definition, text);
  if ("problem" in result) throw new KaasError("KAAS_CONFIG_INVALID", result.problem);
  return result.value;
}
