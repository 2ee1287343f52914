import type { Socket } from "node:net";
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from "node:tls";
import { KaasError } from "../../errors/kaas-error.js";
import type { Clock, Timer } from "../../ports/clock.js";
import type { Log } from "../../ports/log.js";
import type { SecretFiles } from "../../ports/secret-files.js";
import { ANONYMOUS, type KafkaPrincipal, userPrincipal } from "../../security/kafka-principal.js";
import { subjectOf } from "../../security/distinguished-name.js";
import { TLS_HANDSHAKE_MS_MAX } from "../server-limits.js";
import { areSame, readSecrets, secureContextOptions, type TlsSecrets } from "./tls-secrets.js";
import type { TlsSettings } from "./tls-settings.js";

/** How often files with certificates are looked at. */
const RELOAD_INTERVAL_MS = 5_000;

/** What OpenSSL says of bytes that are no TLS. */
const PLAINTEXT_ERRORS: ReadonlySet<string> = new Set([
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_HTTP_REQUEST",
  "ERR_SSL_UNSUPPORTED_PROTOCOL",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_UNKNOWN_PROTOCOL",
]);

/** What an acceptor works with. */
export interface TlsAcceptorOptions {
  readonly listenerName: string;
  readonly settings: TlsSettings;
  /** Undefined where no file can be read; the settings must then hold everything themselves. */
  readonly files: SecretFiles | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** What becomes of a connection that was handed to {@link TlsAcceptor.accept}; one of both is called, once. */
export interface HandshakeOutcome {
  secured(socket: TLSSocket, principal: KafkaPrincipal): void;
  failed(reason: string): void;
}

/** A connection whose handshake is under way. */
interface Handshake {
  readonly socket: Socket;
  readonly startedAtMs: number;
  readonly outcome: HandshakeOutcome;
  /** Why it failed, as far as is known. */
  reason: string;
  isOver: boolean;
}

/**
 * Makes TLS connections of those that a listener accepts, with the certificates of the moment: files are looked at every
 * few seconds, and what has changed is used from the next connection on. What cannot be used is named in the log, and
 * what was used before stays.
 */
export class TlsAcceptor {
  readonly #options: TlsAcceptorOptions;
  readonly #server: Server;
  /** By both addresses: Node does not say which connection a secured one was made of. */
  readonly #handshakes = new Map<string, Handshake>();
  #secrets: TlsSecrets;
  /** What could not be used when it was last looked at. */
  #complaint = "";
  #timer: Timer | undefined;
  #isClosed = false;

  private constructor(options: TlsAcceptorOptions, secrets: TlsSecrets, context: SecureContextOptions) {
    this.#options = options;
    this.#secrets = secrets;
    const { clientAuth } = options.settings;
    this.#server = createServer({
      ...context,
      requestCert: clientAuth !== "none",
      rejectUnauthorized: clientAuth === "required",
    });
    this.#server.on("secureConnection", (socket) => this.#secured(socket));
    this.#server.on("tlsClientError", (error, socket) => {
      const handshake = this.#handshakes.get(keyOf(socket));
      if (handshake !== undefined) handshake.reason = reasonOf(error, socket);
      socket.destroy(); // Node leaves it open after some of the errors
    });
    if (hasFiles(options.settings)) this.#scheduleReload();
  }

  /** Reads the certificates. Rejects with `KAAS_CONFIG_INVALID` when they cannot be used. */
  static async open(options: TlsAcceptorOptions): Promise<TlsAcceptor> {
    const { listenerName, settings, files } = options;
    let secrets: TlsSecrets;
    try {
      secrets = await readSecrets(settings, files);
    } catch (cause) {
      const message = `listener ${listenerName}: a certificate or key cannot be read: ${(cause as Error).message}`;
      throw new KaasError("KAAS_CONFIG_INVALID", message, { cause });
    }
    return new TlsAcceptor(options, secrets, secureContextOptions(listenerName, settings, secrets));
  }

  /** Handshakes under way. */
  get handshakes(): number {
    return this.#handshakes.size;
  }

  /** Begins a handshake on a connection that was just accepted. */
  accept(socket: Socket, outcome: HandshakeOutcome): void {
    const key = keyOf(socket);
    const startedAtMs = this.#options.clock.monotonic();
    const reason = "the client closed the connection";
    const handshake: Handshake = { socket, startedAtMs, outcome, reason, isOver: false };
    this.#handshakes.set(key, handshake);
    socket.once("close", () => this.#closed(key, handshake));
    this.#server.emit("connection", socket);
  }

  /** Ends handshakes that have taken too long, however busy they are. */
  sweep(nowMs: number): void {
    for (const handshake of this.#handshakes.values()) {
      if (nowMs - handshake.startedAtMs < TLS_HANDSHAKE_MS_MAX) return; // the oldest come first
      handshake.reason = `it was not over within ${TLS_HANDSHAKE_MS_MAX} ms`;
      handshake.socket.destroy();
    }
  }

  /** Looks at files no more. Connections are their owners'. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #secured(socket: TLSSocket): void {
    const key = keyOf(socket);
    const handshake = this.#handshakes.get(key);
    const principal = this.#principalOf(socket);
    if (handshake === undefined || typeof principal === "string") {
      if (handshake !== undefined) handshake.reason = principal as string;
      socket.destroy();
      return;
    }
    this.#handshakes.delete(key);
    handshake.isOver = true;
    // Not before: who leaves in the middle of a handshake would never be noticed.
    socket.allowHalfOpen = true;
    handshake.outcome.secured(socket, principal);
  }

  #closed(key: string, handshake: Handshake): void {
    if (handshake.isOver) return;
    handshake.isOver = true;
    // The client may have come again from the same port in the meantime.
    if (this.#handshakes.get(key) === handshake) this.#handshakes.delete(key);
    handshake.outcome.failed(handshake.reason);
  }

  /** Who the client is by its certificate; a text says why it is not let in. */
  #principalOf(socket: TLSSocket): KafkaPrincipal | string {
    const { clientAuth, mapping } = this.#options.settings;
    const certificate = clientAuth === "none" ? undefined : socket.getPeerX509Certificate();
    if (certificate === undefined) return ANONYMOUS;
    if (!socket.authorized) return `its certificate is not accepted: ${String(socket.authorizationError)}`;
    const subject = subjectOf(certificate.raw);
    const name = mapping(subject);
    if (name === undefined) return `no rule of ssl.principal.mapping.rules is for ${JSON.stringify(subject)}`;
    return name === ""
      ? `ssl.principal.mapping.rules leave nothing of ${JSON.stringify(subject)}`
      : userPrincipal(name);
  }

  #scheduleReload(): void {
    this.#timer = this.#options.clock.schedule(RELOAD_INTERVAL_MS, () => {
      void this.#reload().finally(() => {
        if (!this.#isClosed) this.#scheduleReload();
      });
    });
  }

  async #reload(): Promise<void> {
    const { listenerName, settings, files, log } = this.#options;
    const fields = { listener: listenerName };
    try {
      const secrets = await readSecrets(settings, files);
      if (areSame(secrets, this.#secrets)) {
        this.#complaint = "";
        return;
      }
      this.#server.setSecureContext(secureContextOptions(listenerName, settings, secrets));
      this.#secrets = secrets;
      this.#complaint = "";
      log.info(fields, "certificates have changed; new connections are made with the new ones");
    } catch (error) {
      const { message } = error as Error;
      if (message === this.#complaint) return;
      this.#complaint = message;
      log.error({ ...fields, err: error }, "new certificates cannot be used; those from before stay in use");
    }
  }
}

function hasFiles({ key, trust }: TlsSettings): boolean {
  const sources = key.kind === "pem" ? [key.key, key.certificates, trust] : [key.file, trust];
  return sources.some((source) => source !== undefined && "path" in source);
}

function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

function reasonOf(error: NodeJS.ErrnoException, socket: TLSSocket): string {
  const { authorizationError } = socket as { authorizationError?: Error | string | null };
  if (authorizationError) return `its certificate is not accepted: ${String(authorizationError)}`;
  const code = error.code ?? "";
  if (PLAINTEXT_ERRORS.has(code))
    return `its bytes are no TLS (${code}); does the client use the protocol of the listener?`;
  return code === "" ? error.message : `${error.message} (${code})`;
}
