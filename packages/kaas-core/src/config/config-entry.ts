import type { BrokerConfigSource } from "./broker-config.js";
import type { ConfigType } from "./config-definition.js";

/** Wire numbers of where a value comes from (KIP-226, KIP-714, KIP-1043). */
export const ConfigSource = {
  DYNAMIC_TOPIC: 1,
  DYNAMIC_BROKER: 2,
  DYNAMIC_DEFAULT_BROKER: 3,
  STATIC_BROKER: 4,
  DEFAULT: 5,
  DYNAMIC_BROKER_LOGGER: 6,
  CLIENT_METRICS: 7,
} as const;

/** Wire number of where a value comes from. */
export type ConfigSource = (typeof ConfigSource)[keyof typeof ConfigSource];

/** Wire numbers of a broker configuration's sources. */
export const brokerConfigSourceCode: Readonly<Record<BrokerConfigSource, ConfigSource>> = {
  broker: ConfigSource.DYNAMIC_BROKER,
  cluster: ConfigSource.DYNAMIC_DEFAULT_BROKER,
  static: ConfigSource.STATIC_BROKER,
  default: ConfigSource.DEFAULT,
};

/** A value that is, or would be, in force for a configuration, the strongest first. */
export interface ConfigSynonym {
  readonly name: string;
  readonly value: string | null;
  readonly source: ConfigSource;
}

/** One configuration as it is described to clients. */
export interface ConfigEntry {
  readonly name: string;
  /** Null when there is none, or when it is a secret. */
  readonly value: string | null;
  readonly readOnly: boolean;
  readonly isSensitive: boolean;
  readonly source: ConfigSource;
  readonly synonyms: readonly ConfigSynonym[];
  /** Undefined: unknown to the protocol, as for log levels. */
  readonly type: ConfigType | undefined;
  readonly documentation: string | null;
}
