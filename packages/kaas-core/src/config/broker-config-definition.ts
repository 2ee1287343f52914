import type { ConfigDefinition, ConfigRule, ConfigType } from "./config-definition.js";

/** Another configuration that gives the value when this one has none; a negative value means no limit and is −1 here. */
export interface ConfigFallback {
  readonly name: string;
  readonly scale: number;
}

/** A broker configuration. */
export interface BrokerConfigDefinition extends ConfigDefinition {
  /** Changeable while the broker runs: for the whole cluster and for one broker, or for one broker only. */
  readonly dynamic?: "cluster" | "broker";
  readonly fallbacks?: readonly ConfigFallback[];
}

type Options = Pick<BrokerConfigDefinition, "dynamic"> & {
  readonly rule?: ConfigRule;
  readonly internal?: true;
};

/** A definition that still lacks its reason. */
export type TakenConfig = Omit<BrokerConfigDefinition, "standing" | "documentation">;

/** A configuration that is taken, kept and shown, and does nothing. */
export function taken(name: string, type: ConfigType, defaultValue: string | null, options: Options = {}): TakenConfig {
  return { name, type, defaultValue, ...options };
}

/** Gives the reason why a group of configurations does nothing. */
export function because(reason: string, configs: readonly TakenConfig[]): readonly BrokerConfigDefinition[] {
  return configs.map((config) => ({ ...config, standing: "accepted", documentation: reason }));
}
