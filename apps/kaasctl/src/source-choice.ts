import { UsageError } from "./usage-error.js";
import type { VolumeChoice } from "./volume-choice.js";

/** What a command line says of the brokers to ask. */
export interface BrokersChoice {
  /** Addresses, separated by commas. */
  readonly bootstrapServer: string;
  /** A file with Kafka's client configurations. */
  readonly commandConfig: string | undefined;
}

/** Where a command looks: at a volume, or through brokers. */
export type SourceChoice =
  | { readonly kind: "volume"; readonly volume: VolumeChoice }
  | { readonly kind: "brokers"; readonly brokers: BrokersChoice };

/**
 * Which of the two a command line chooses. Without a word it is a volume, which the environment may name.
 *
 * @throws UsageError when it chooses both
 */
export function sourceOf(argv: Readonly<Record<string, unknown>>): SourceChoice {
  const dataDirectory = argv["dataDir"] as string | undefined;
  const clusterDirectory = argv["clusterDir"] as string | undefined;
  const bootstrapServer = argv["bootstrapServer"] as string | readonly string[] | undefined;
  const commandConfig = argv["commandConfig"] as string | undefined;
  if (bootstrapServer === undefined) {
    if (commandConfig !== undefined)
      throw new UsageError("--command-config is for brokers: it needs --bootstrap-server");
    return { kind: "volume", volume: { dataDirectory, clusterDirectory } };
  }
  const other = dataDirectory === undefined ? "--cluster-dir" : "--data-dir";
  if (dataDirectory !== undefined || clusterDirectory !== undefined) {
    throw new UsageError(
      `${other} is for a look at the volume, --bootstrap-server for one through brokers: give one of them`,
    );
  }
  // Given several times, it is a list.
  return { kind: "brokers", brokers: { bootstrapServer: [bootstrapServer].flat().join(","), commandConfig } };
}
