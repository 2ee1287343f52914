/** Log levels as configurations of a broker (KIP-412). They last until the broker stops, as in Kafka. */
import { type Refusal, refuse } from "../errors/refusal.js";
import { type ConfigEntry, ConfigSource } from "../config/config-entry.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { RequestContext } from "./api-handler.js";
import type { ConfigChange } from "./config-operations.js";

/** The only logger that there is. */
const ROOT_LOGGER = "root";

/** Kafka's levels; in small letters they are pino's. */
const LEVELS: readonly string[] = ["DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN"];

const OPERATION_NAMES: readonly string[] = ["SET", "DELETE", "APPEND", "SUBTRACT"];

/** The level of the broker's log; nothing when it has none that could be chosen. */
export function describeLogLevels(context: RequestContext): readonly ConfigEntry[] {
  const { level } = context.broker.log;
  if (level === undefined) return [];
  return [
    {
      name: ROOT_LOGGER,
      value: level.toUpperCase(),
      readOnly: false,
      isSensitive: false,
      source: ConfigSource.DYNAMIC_BROKER_LOGGER,
      synonyms: [],
      type: undefined,
      documentation: null,
    },
  ];
}

/** Which broker a logger resource is of; only this one can be asked. */
export function loggerBrokerRefusal(context: RequestContext, resourceName: string): Refusal | undefined {
  const { nodeId } = context.broker;
  if (!/^-?\d{1,10}$/.test(resourceName)) {
    return refuse(ErrorCode.INVALID_REQUEST, `Broker id must be an integer, but it is: ${resourceName}`);
  }
  if (Number(resourceName) === nodeId) return undefined;
  return refuse(ErrorCode.INVALID_REQUEST, `Unexpected broker id, expected ${nodeId} but received ${resourceName}`);
}

export function alterLogLevels(
  context: RequestContext,
  resourceName: string,
  changes: readonly ConfigChange[],
  validateOnly: boolean,
): Refusal | undefined {
  const refusal =
    loggerBrokerRefusal(context, resourceName) ??
    changes.map((change) => changeRefusal(context, change)).find((found) => found !== undefined);
  if (refusal !== undefined) return refusal;
  const [change] = changes;
  if (change !== undefined && !validateOnly) context.broker.log.level = String(change.value).toLowerCase();
  return undefined;
}

function changeRefusal(context: RequestContext, { name, value, configOperation }: ConfigChange): Refusal | undefined {
  if (name !== ROOT_LOGGER || context.broker.log.level === undefined) {
    return refuse(ErrorCode.INVALID_CONFIG, `Logger ${name} does not exist!`);
  }
  const operation = OPERATION_NAMES[configOperation ?? -1];
  if (operation === "DELETE") {
    return refuse(ErrorCode.INVALID_REQUEST, "Removing the log level of the root logger is not allowed");
  }
  if (operation !== "SET") {
    return refuse(ErrorCode.INVALID_REQUEST, `${operation} operation is not allowed for the BROKER_LOGGER resource`);
  }
  if (LEVELS.includes(String(value))) return undefined;
  return refuse(
    ErrorCode.INVALID_CONFIG,
    `Cannot set the log level of ${name} to ${value} as it is not a supported log level. Valid log levels are ${LEVELS.join(", ")}`,
  );
}
