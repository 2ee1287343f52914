import type { BrokerConfig } from "../../config/broker-config.js";
import { ListenerConfig } from "../../config/listener-config.js";
import { KaasError } from "../../errors/kaas-error.js";
import type { Random } from "../../ports/clock.js";
import type { Acls } from "../../ports/acls.js";
import type { Credentials, ScramMechanism } from "../../ports/credentials.js";
import { Decoys } from "./decoys.js";
import { plainUsersOfJaas } from "./jaas.js";
import { PlainExchange } from "./plain-exchange.js";
import { PlainPasswords } from "./plain-passwords.js";
import type { SaslExchange } from "./sasl-mechanism.js";
import type { SaslListener } from "./sasl-session.js";
import { ScramExchange } from "./scram-exchange.js";
import { SCRAM_MECHANISMS } from "./scram-keys.js";

const PLAIN = "PLAIN";
const SERVED: readonly string[] = [...SCRAM_MECHANISMS, PLAIN];

/** Makes the SASL side of listeners; what they share is made once. */
export class SaslListeners {
  readonly #config: BrokerConfig;
  readonly #credentials: Credentials;
  readonly #acls: Acls;
  readonly #random: Random;
  readonly #decoys: Decoys;
  readonly #passwords: PlainPasswords;

  constructor(config: BrokerConfig, credentials: Credentials, acls: Acls, random: Random) {
    this.#config = config;
    this.#credentials = credentials;
    this.#acls = acls;
    this.#random = random;
    this.#decoys = new Decoys(credentials);
    const key = Buffer.from(`${random.uuid()}${random.uuid()}`, "base64url");
    this.#passwords = new PlainPasswords(credentials, this.#decoys, key);
  }

  /**
   * How clients log in on a listener.
   *
   * @throws KaasError KAAS_CONFIG_INVALID naming the mechanism that is not served, or not without TLS.
   */
  listener(listenerName: string, isEncrypted: boolean): SaslListener {
    const config = new ListenerConfig(this.#config, listenerName);
    const mechanisms = mechanismsOf(config, isEncrypted);
    const jaasName = `listener.name.${listenerName.toLowerCase()}.plain.sasl.jaas.config`;
    const jaas = mechanisms.includes(PLAIN) ? config.textOf(PLAIN, "sasl.jaas.config") : undefined;
    const plainUsers = jaas === undefined ? new Map<string, string>() : plainUsersOfJaas(jaasName, jaas);
    return {
      mechanisms,
      begin: (mechanism) => this.#begin(mechanism, plainUsers),
      sessionMsMax: (mechanism) => config.numberOf(mechanism, "connections.max.reauth.ms"),
      refresh: () => this.#refresh(),
      failureDelayMs: () => this.#config.number("connection.failed.authentication.delay.ms"),
    };
  }

  async #refresh(): Promise<void> {
    await Promise.all([this.#credentials.refresh(), this.#acls.refresh()]);
  }

  #begin(mechanism: string, plainUsers: ReadonlyMap<string, string>): SaslExchange {
    return mechanism === PLAIN
      ? new PlainExchange(this.#passwords, plainUsers)
      : new ScramExchange(mechanism as ScramMechanism, this.#credentials, this.#decoys, this.#random);
  }
}

function mechanismsOf(config: ListenerConfig, isEncrypted: boolean): readonly string[] {
  const name = "sasl.enabled.mechanisms";
  const where = config.hasOwn(name) ? `listener.name.${config.listenerName.toLowerCase()}.${name}` : name;
  const mechanisms = config.list(name);
  const unserved = mechanisms.filter((mechanism) => !SERVED.includes(mechanism));
  if (mechanisms.length === 0 || unserved.length > 0) {
    const what = mechanisms.length === 0 ? "is empty" : `names ${unserved.join(", ")}, which kaas does not serve`;
    throw invalid(`${where} ${what}; listener ${config.listenerName} needs some of ${SERVED.join(", ")}`);
  }
  if (mechanisms.includes(PLAIN) && !isEncrypted) {
    throw invalid(
      `${where} names PLAIN for listener ${config.listenerName}, which has no TLS: passwords would be readable on the way; make it SASL_SSL, or use SCRAM-SHA-512`,
    );
  }
  return mechanisms;
}

function invalid(message: string): KaasError {
  return new KaasError("KAAS_CONFIG_INVALID", message);
}
