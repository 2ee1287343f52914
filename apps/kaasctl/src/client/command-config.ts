import { KaasError } from "@kaas/core";
import {
  loginOptionsOfJaas,
  parseProperties,
  PLAIN_LOGIN_MODULE,
  PropertiesError,
  type Property,
} from "@kaas/core/internal";
import { UsageError } from "../usage-error.js";
import { type ClientSettings, DEFAULT_SETTINGS, type LoginMechanism, type LoginSettings } from "./client-settings.js";
import { ConfigValues } from "./config-values.js";
import { type TextFiles, tlsSettingsOf } from "./tls-config.js";

const PROTOCOLS: Readonly<Record<string, { readonly isEncrypted: boolean; readonly isSasl: boolean }>> = {
  PLAINTEXT: { isEncrypted: false, isSasl: false },
  SSL: { isEncrypted: true, isSasl: false },
  SASL_PLAINTEXT: { isEncrypted: false, isSasl: true },
  SASL_SSL: { isEncrypted: true, isSasl: true },
};
const SCRAM_LOGIN_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule";
/** By mechanism, the login module that its users are named in. */
const LOGIN_MODULES: Readonly<Record<LoginMechanism, string>> = {
  PLAIN: PLAIN_LOGIN_MODULE,
  "SCRAM-SHA-256": SCRAM_LOGIN_MODULE,
  "SCRAM-SHA-512": SCRAM_LOGIN_MODULE,
};
const TIMEOUT_MS_MAX = 3_600_000;

/**
 * Reads the file of `--command-config`: Kafka's client configurations, as its own tools take them.
 *
 * @throws UsageError naming the file, and the configuration that is not supported or cannot be used.
 */
export async function readCommandConfig(path: string, files: TextFiles): Promise<ClientSettings> {
  const config = new ConfigValues(path, parse(path, await read(path, files)));
  const { isEncrypted, isSasl } = protocolOf(config);
  refuseUnused(config, isEncrypted, isSasl);
  return {
    tls: isEncrypted ? await tlsSettingsOf(config, files) : undefined,
    login: isSasl ? loginOf(config) : undefined,
    clientId: config.text("client.id") ?? DEFAULT_SETTINGS.clientId,
    requestTimeoutMs: timeoutOf(config, "request.timeout.ms") ?? DEFAULT_SETTINGS.requestTimeoutMs,
    connectTimeoutMs: timeoutOf(config, "socket.connection.setup.timeout.ms") ?? DEFAULT_SETTINGS.connectTimeoutMs,
  };
}

async function read(path: string, files: TextFiles): Promise<string> {
  try {
    return await files(path);
  } catch (error) {
    throw new UsageError(`--command-config ${path} cannot be read: ${(error as Error).message}`);
  }
}

function parse(path: string, text: string): readonly Property[] {
  try {
    return parseProperties(text);
  } catch (error) {
    if (error instanceof PropertiesError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

function protocolOf(config: ConfigValues): { readonly isEncrypted: boolean; readonly isSasl: boolean } {
  const name = (config.text("security.protocol") ?? "PLAINTEXT").toUpperCase();
  const protocol = PROTOCOLS[name];
  if (protocol !== undefined) return protocol;
  throw config.invalid("security.protocol", `is ${name}; it may be ${Object.keys(PROTOCOLS).join(", ")}`);
}

/** What would change nothing was meant to: as a rule security.protocol was forgotten. */
function refuseUnused(config: ConfigValues, isEncrypted: boolean, isSasl: boolean): void {
  const protocol = config.text("security.protocol") ?? "PLAINTEXT, the default";
  for (const name of config.names()) {
    const isUnused = (name.startsWith("ssl.") && !isEncrypted) || (name.startsWith("sasl.") && !isSasl);
    if (isUnused) throw config.invalid(name, `does nothing while security.protocol is ${protocol}`);
  }
}

function loginOf(config: ConfigValues): LoginSettings {
  const mechanism = config.text("sasl.mechanism") ?? "GSSAPI, the default";
  if (!isMechanism(mechanism)) {
    throw config.invalid("sasl.mechanism", `is ${mechanism}; kaasctl has ${Object.keys(LOGIN_MODULES).join(", ")}`);
  }
  const jaas = config.text("sasl.jaas.config");
  if (jaas === undefined) throw config.invalid("sasl.jaas.config", "is missing: it says who logs in");
  const options = jaasOptions(config, jaas, LOGIN_MODULES[mechanism]);
  const unknown = [...options.keys()].find((name) => name !== "username" && name !== "password");
  if (unknown !== undefined) throw config.invalid("sasl.jaas.config", `has ${unknown}, which kaasctl does not support`);
  const [user = "", password = ""] = [options.get("username"), options.get("password")];
  if (user === "" || password === "") throw config.invalid("sasl.jaas.config", "needs a username and a password");
  return { mechanism, user, password };
}

function jaasOptions(config: ConfigValues, jaas: string, module: string): ReadonlyMap<string, string> {
  try {
    return loginOptionsOfJaas("sasl.jaas.config", jaas, module);
  } catch (error) {
    if (error instanceof KaasError) throw new UsageError(`${config.path}: ${error.message}`);
    throw error;
  }
}

function isMechanism(text: string): text is LoginMechanism {
  return Object.hasOwn(LOGIN_MODULES, text);
}

function timeoutOf(config: ConfigValues, name: string): number | undefined {
  const text = config.text(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= TIMEOUT_MS_MAX) return value;
  throw config.invalid(name, `is ${text}; it has to be a whole number of milliseconds up to ${TIMEOUT_MS_MAX}`);
}
