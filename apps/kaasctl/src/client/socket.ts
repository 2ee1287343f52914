import { connect, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions, createSecureContext, type TLSSocket } from "node:tls";
import { systemClock } from "@kaas/storage";
import { UsageError } from "../usage-error.js";
import { type BrokerAddress, shownAddress } from "./broker-address.js";
import type { ClientSettings, TlsSettings } from "./client-settings.js";
import { ClusterError } from "./cluster-error.js";
import { describeFailure } from "./connect-failure.js";

/**
 * Opens a connection, through the handshake of TLS where there is one.
 *
 * @throws ClusterError that says why there is none
 * @throws UsageError when the certificate and key to show cannot be used
 */
export async function openSocket(
  address: BrokerAddress,
  { tls, connectTimeoutMs }: Pick<ClientSettings, "tls" | "connectTimeoutMs">,
): Promise<Socket> {
  const secure = tls === undefined ? undefined : tlsOptionsOf(tls);
  return new Promise((resolve, reject) => {
    const { host, port } = address;
    const socket: Socket | TLSSocket =
      secure === undefined ? connect({ host, port, noDelay: true }) : connectTls({ host, port, ...secure });
    const timer = systemClock.schedule(connectTimeoutMs, () => {
      fail(new Error(`no connection within ${connectTimeoutMs} ms`));
    });
    const fail = (error: Error): void => {
      timer.cancel();
      socket.destroy();
      reject(new ClusterError(`cannot reach ${shownAddress(address)}: ${describeFailure(error, tls !== undefined)}`));
    };
    socket.once("error", fail);
    socket.once(secure === undefined ? "connect" : "secureConnect", () => {
      timer.cancel();
      socket.off("error", fail);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

function tlsOptionsOf({ trust, identity, checksHost, versionMin, versionMax }: TlsSettings): ConnectionOptions {
  const own =
    identity === undefined
      ? {}
      : {
          cert: identity.certificates,
          key: identity.key,
          ...(identity.password === undefined ? {} : { passphrase: identity.password }),
        };
  try {
    const options = {
      ...own,
      ...(trust === undefined ? {} : { ca: trust }),
      minVersion: versionMin,
      maxVersion: versionMax,
    };
    return {
      secureContext: createSecureContext(options),
      ...(checksHost ? {} : { checkServerIdentity: () => undefined }),
    };
  } catch (error) {
    throw new UsageError(`the certificates and keys of --command-config cannot be used: ${(error as Error).message}`);
  }
}
