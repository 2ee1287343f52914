import type { InspectionHost } from "../inspection/inspection-host.js";

/** A machine that has no users and no processes, and where pauses take no time. */
export const testHost: InspectionHost = {
  statusOf: async () => undefined,
  lockHolderOf: async () => undefined,
  pause: async () => undefined,
};
