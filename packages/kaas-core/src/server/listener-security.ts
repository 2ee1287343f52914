import type { BrokerConfig } from "../config/broker-config.js";
import { ListenerConfig } from "../config/listener-config.js";
import type { SaslListeners } from "../security/sasl/sasl-listeners.js";
import type { SaslListener } from "../security/sasl/sasl-session.js";
import type { ListenerOptions } from "./listener.js";
import { type TlsSettings, tlsSettingsOf } from "./tls/tls-settings.js";

/** What a listener asks of connections. */
export interface ListenerSecurity {
  /** How it encrypts; undefined where it does not. */
  readonly tls: TlsSettings | undefined;
  /** How clients log in; undefined where they do not. */
  readonly sasl: SaslListener | undefined;
}

/**
 * What a listener of some protocol asks of connections.
 *
 * @throws KaasError KAAS_CONFIG_INVALID naming the listener and what is wrong with its configuration.
 */
export function listenerSecurity(
  { name, protocol = "PLAINTEXT" }: ListenerOptions,
  config: BrokerConfig,
  sasl: SaslListeners,
): ListenerSecurity {
  const isSasl = protocol.startsWith("SASL_");
  const isEncrypted = protocol.endsWith("SSL");
  return {
    tls: isEncrypted ? tlsSettingsOf(new ListenerConfig(config, name), isSasl) : undefined,
    sasl: isSasl ? sasl.listener(name, isEncrypted) : undefined,
  };
}
