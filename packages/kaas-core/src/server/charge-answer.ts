import { ApiKey } from "../messages/generated/index.js";
import type { ClientQuotas } from "../security/quotas/client-quotas.js";
import type { Exchange } from "./exchange.js";

/** What comes before a client is known is charged to nobody. */
const UNCHARGED: ReadonlySet<number> = new Set([ApiKey.SaslHandshake, ApiKey.SaslAuthenticate]);

/**
 * Charges a request that is answered to the quotas of its client, and tells the client how long it is to wait (KIP-219).
 * Returns how long that is, in milliseconds: whatever the client makes of it, the connection is muted for so long.
 */
export function chargeAnswer(quotas: ClientQuotas, exchange: Exchange): number {
  const { api, context } = exchange;
  if (quotas.isIdle || api === undefined || context === undefined || UNCHARGED.has(api.codec.key)) return 0;
  const client = { user: context.connection.principal.name, clientId: context.clientId ?? "" };
  let throttleMs = throttleOf(exchange.response);
  if (api.codec.key === ApiKey.Produce) {
    throttleMs = Math.max(throttleMs, quotas.chargeBytes("producer_byte_rate", client, exchange.frameBytes));
  }
  // Who asks for no answer cannot be told to work less.
  if (quotas.limitsRequests && exchange.response !== undefined) {
    throttleMs = Math.max(throttleMs, quotas.chargeTime(client, exchange.busyMs));
  }
  if (throttleMs > 0 && exchange.response !== undefined) {
    exchange.response = { ...(exchange.response as object), throttleTimeMs: throttleMs };
  }
  return throttleMs;
}

/** What the handler has to say of it already. */
function throttleOf(response: unknown): number {
  return (response as { readonly throttleTimeMs?: number } | undefined)?.throttleTimeMs ?? 0;
}
