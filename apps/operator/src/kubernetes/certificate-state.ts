import type { Certificate } from "./resources.js";

/** Why a Certificate of cert-manager is of no use yet; undefined when it is issued as it is wanted now. */
export function whyNotIssued({ metadata, status }: Certificate): string | undefined {
  const { name, generation = 0 } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const isOfNow = (ready?.observedGeneration ?? generation) >= generation;
  if (ready?.status === "True" && isOfNow) return undefined;
  const why = ready?.message === undefined || !isOfNow ? "" : `: ${ready.message}`;
  return `Certificate ${name} is not issued yet${why}`;
}
