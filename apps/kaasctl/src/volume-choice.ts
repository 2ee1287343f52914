import type { InspectionOptions } from "@kaas/storage";

/** What a command line says of the volume. */
export interface VolumeChoice {
  /** Further log directories after it, separated by commas. */
  readonly dataDirectory: string | undefined;
  readonly clusterDirectory: string | undefined;
}

/** Which volume is meant; undefined where nothing says it. */
export function chosenVolume(
  { dataDirectory, clusterDirectory }: VolumeChoice,
  environment: Readonly<Record<string, string | undefined>>,
): InspectionOptions | undefined {
  const [directory, ...furtherDirectories] = (dataDirectory ?? environment["KAAS_DATA_DIR"] ?? "")
    .split(",")
    .filter((path) => path !== "");
  if (directory === undefined) return undefined;
  // What the environment says of one volume is not true of another one.
  const usual = dataDirectory === undefined ? environment["KAAS_CLUSTER_DIR"] : undefined;
  const apart = clusterDirectory ?? usual ?? "";
  return { directory, furtherDirectories, ...(apart === "" ? {} : { clusterDirectory: apart }) };
}
