import { type Refusal, refuse } from "../errors/refusal.js";
import type { ConfigType } from "../config/config-definition.js";
import { splitList } from "../config/config-value.js";
import type { ConfigTexts } from "../config/dynamic-broker-configs.js";
import { ErrorCode } from "../errors/error-codes.js";

/** Wire numbers of what can be done to one configuration (KIP-339). */
const Operation = { SET: 0, DELETE: 1, APPEND: 2, SUBTRACT: 3 } as const;

/** One configuration of an alteration. AlterConfigs, which replaces all, only ever sets. */
export interface ConfigChange {
  readonly name: string;
  readonly value: string | null;
  readonly configOperation?: number;
}

/** What an alteration works on. */
export interface AlteredConfigs {
  /** What is set now. */
  readonly texts: ConfigTexts;
  /** The type of a configuration; undefined for an unknown name. */
  typeOf(name: string): ConfigType | undefined;
  /** The value in force, for appending to what was never set. */
  textInForce(name: string): string | undefined;
}

/** What stands against changes by their form alone. */
export function malformedChanges(changes: readonly ConfigChange[]): Refusal | undefined {
  if (new Set(changes.map(({ name }) => name)).size < changes.length) {
    return refuse(ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys");
  }
  const valueless = changes.filter(
    ({ value, configOperation }) => value === null && configOperation !== Operation.DELETE,
  );
  if (valueless.length === 0) return undefined;
  const names = valueless.map(({ name }) => name).join(", ");
  return refuse(ErrorCode.INVALID_REQUEST, `Null value not supported for : ${names}`);
}

/** What is set after changes, not yet validated; the changes are well formed. */
export function applyChanges(configs: AlteredConfigs, changes: readonly ConfigChange[]): ConfigTexts | Refusal {
  const texts: Record<string, string> = Object.assign(Object.create(null), configs.texts);
  for (const { name, value, configOperation } of changes) {
    if (configOperation === Operation.DELETE) {
      delete texts[name];
      continue;
    }
    const changed = changedText(configs, name, value ?? "", configOperation);
    if (typeof changed !== "string") return changed;
    texts[name] = changed;
  }
  return texts;
}

/** What is set when changes replace everything. */
export function replaceAll(changes: readonly ConfigChange[]): ConfigTexts {
  return Object.assign(
    Object.create(null),
    Object.fromEntries(changes.map(({ name, value }) => [name, value ?? ""])),
  ) as ConfigTexts;
}

function changedText(
  configs: AlteredConfigs,
  name: string,
  value: string,
  operation: number | undefined,
): string | Refusal {
  if (operation === Operation.SET) return value;
  if (operation !== Operation.APPEND && operation !== Operation.SUBTRACT) {
    return refuse(ErrorCode.INVALID_REQUEST, `Unknown operation ${operation} for ${name}`);
  }
  if (configs.typeOf(name) !== "list") {
    const word = operation === Operation.APPEND ? "APPEND" : "SUBTRACT";
    return refuse(ErrorCode.INVALID_CONFIG, `Can't ${word} to key ${name} because its type is not LIST.`);
  }
  const current = new Set(splitList(configs.texts[name] ?? configs.textInForce(name) ?? ""));
  const items = new Set(splitList(value));
  const changed =
    operation === Operation.APPEND
      ? [...current, ...[...items].filter((item) => !current.has(item))]
      : [...current].filter((item) => !items.has(item));
  return changed.join(",");
}
