import { UsageError } from "./usage-error.js";

const IN_A_POD = "run it in a broker's pod with kubectl kaas, or with --data-dir where the volume is mounted";

/** What cannot be had through brokers, and why. */
const REASONS: Readonly<Record<string, string>> = {
  drain:
    "a drain is a wish that lies on the volume, so that it outlasts restarts, and Kafka's protocol has no request for it",
  "assignment history": "brokers tell the newest assignment only",
  "assignment diff": "brokers tell the newest assignment only",
  repair: "it changes files of the volume, with no broker at work",
};

/** What to say of a command that only a volume can answer. */
export function offlineOnly(command: string): UsageError {
  const reason = REASONS[command] ?? "it reads files of the volume, which brokers do not show";
  return new UsageError(`${command} does not work with --bootstrap-server: ${reason}; ${IN_A_POD}`);
}
