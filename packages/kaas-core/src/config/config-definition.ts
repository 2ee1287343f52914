/** Kafka's types of configuration values. */
export type ConfigType = "boolean" | "string" | "int" | "short" | "long" | "double" | "list" | "class" | "password";

/** Wire number of each type in DescribeConfigs (KIP-569). */
export const configTypeCode: Readonly<Record<ConfigType, number>> = {
  boolean: 1,
  string: 2,
  int: 3,
  short: 4,
  long: 5,
  double: 6,
  list: 7,
  class: 8,
  password: 9,
};

/** A parsed configuration value. A long beyond 2^53 is rounded; such values only ever mean "never". */
export type ConfigValue = boolean | number | string | readonly string[];

/** What a value must satisfy beyond its type. */
export interface ConfigRule {
  /** For people, such as `at least 1`. */
  readonly text: string;
  /** What is wrong with a value; undefined when nothing is. */
  problem(value: ConfigValue): string | undefined;
}

/**
 * What a configuration does in kaas. `honoured`: what it does in Kafka. `accepted`: nothing; a value is taken, kept and
 * shown, because what it tunes does not exist here and tools set it. `refused`: a value other than the default would be
 * a promise that kaas does not keep.
 */
export type ConfigStanding = "honoured" | "accepted" | "refused";

/** One configuration. */
export interface ConfigDefinition {
  readonly name: string;
  readonly type: ConfigType;
  /** In Kafka's text form; null when there is none. */
  readonly defaultValue: string | null;
  readonly rule?: ConfigRule;
  readonly standing: ConfigStanding;
  /** What it does, or for `accepted` and `refused` why it does not. */
  readonly documentation: string;
  /** Left out of descriptions while it has no value, as in Kafka. */
  readonly internal?: true;
}

/** A number of at least `min`. */
export function atLeast(min: number): ConfigRule {
  return {
    text: `at least ${min}`,
    problem: (value) => ((value as number) < min ? `Value must be at least ${min}` : undefined),
  };
}

/** A number from `min` to `max`, both included. */
export function between(min: number, max: number): ConfigRule {
  return {
    text: `${min} to ${max}`,
    problem: (value) => {
      if ((value as number) < min) return `Value must be at least ${min}`;
      return (value as number) > max ? `Value must be no more than ${max}` : undefined;
    },
  };
}

/** A level of gzip; -1 leaves it to the codec. */
export const gzipLevel: ConfigRule = {
  text: "-1, or 1 to 9",
  problem: (value) =>
    value === -1 || between(1, 9).problem(value) === undefined
      ? undefined
      : "Value must be between 1 and 9 or equal to -1",
};

/** One of some words. */
export function oneOf(...words: readonly string[]): ConfigRule {
  return {
    text: words.map((word) => `\`${word}\``).join(", "),
    problem: (value) => (words.includes(value as string) ? undefined : `String must be one of: ${words.join(", ")}`),
  };
}

/** A list of some words; saying one twice is the same as saying it once. */
export function listOf(...words: readonly string[]): ConfigRule {
  return {
    text: `any of ${words.map((word) => `\`${word}\``).join(", ")}`,
    problem: (value) =>
      (value as readonly string[]).every((item) => words.includes(item))
        ? undefined
        : `String must be one of: ${words.join(", ")}`,
  };
}
