import { ErrorCode } from "../../errors/error-codes.js";
import type { Clock } from "../../ports/clock.js";
import { ANONYMOUS, type KafkaPrincipal, userPrincipal } from "../kafka-principal.js";
import type { SaslExchange, SaslStep } from "./sasl-mechanism.js";

/** A session is renewed no more often than this, as in Kafka. */
const RENEWAL_INTERVAL_MS_MIN = 1_000;

const ApiKey = { SASL_HANDSHAKE: 17, API_VERSIONS: 18, SASL_AUTHENTICATE: 36 } as const;

/** How clients log in on a listener. */
export interface SaslListener {
  /** Those of `sasl.enabled.mechanisms`. */
  readonly mechanisms: readonly string[];
  /** A new login by one of {@link mechanisms}. */
  begin(mechanism: string): SaslExchange;
  /** `connections.max.reauth.ms` of a mechanism; not positive: a session has no end. */
  sessionMsMax(mechanism: string): number;
  /**
   * Has what others have changed of users and ACLs come into force, before one of them logs in: who is told a password
   * elsewhere is let in here too, with all that it is allowed. Never rejects.
   */
  refresh(): Promise<void>;
  /** `connection.failed.authentication.delay.ms`. */
  failureDelayMs(): number;
}

/** Why a request is not handled. With an error code, that is answered before the connection is closed. */
export interface GateRefusal {
  readonly reason: string;
  readonly errorCode?: ErrorCode;
}

/** What a client is told of its choice of a mechanism. */
export interface HandshakeAnswer {
  readonly errorCode: ErrorCode;
  readonly mechanisms: readonly string[];
  /** Why the connection ends with this answer. */
  readonly closeReason?: string;
}

/** What a client is told of a message of its login. */
export interface AuthenticateAnswer {
  readonly errorCode: ErrorCode;
  /** Empty where nothing is wrong. */
  readonly errorMessage: string;
  readonly message: Buffer;
  /** 0 until the login is complete, and where the session has no end. */
  readonly sessionLifetimeMs: number;
  /** Why the connection ends with this answer. */
  readonly closeReason?: string;
}

const Phase = {
  /** A mechanism is to be chosen. */
  HANDSHAKE: 0,
  /** Messages of a login are to come. */
  AUTHENTICATE: 1,
  /** The client is known, for as long as its session lasts. */
  AUTHENTICATED: 2,
  FAILED: 3,
} as const;

type Phase = (typeof Phase)[keyof typeof Phase];

const EMPTY = Buffer.alloc(0);

/**
 * The login of one connection (KIP-43, KIP-152), and its renewals (KIP-368).
 *
 * ```
 *              SaslHandshake                    last message of the login
 *  HANDSHAKE ────────────────▶ AUTHENTICATE ─────────────────────────────▶ AUTHENTICATED
 *      ▲                            │ SaslHandshake, at most once a second       │
 *      └────────────────────────────┼────────────────────────────────────────────┘
 *                                   └─ wrong ─▶ FAILED: answered late, then closed
 * ```
 */
export class SaslSession {
  readonly #listener: SaslListener;
  readonly #clock: Clock;
  #phase: Phase = Phase.HANDSHAKE;
  #principal: KafkaPrincipal = ANONYMOUS;
  #mechanism = "";
  #exchange: SaslExchange | undefined;
  /** Messages come in frames of their own, without a header: the client chose version 0 of SaslHandshake. */
  #isRaw = false;
  /** The mechanism of the login that is being renewed. */
  #renewedMechanism: string | undefined;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #endsAtMs = Number.POSITIVE_INFINITY;

  constructor(listener: SaslListener, clock: Clock) {
    this.#listener = listener;
    this.#clock = clock;
  }

  /** Anonymous before the first login; from then on the same for good. */
  get principal(): KafkaPrincipal {
    return this.#principal;
  }

  /** Whether the client has logged in, or is renewing a login. */
  get isAuthenticated(): boolean {
    return this.#phase === Phase.AUTHENTICATED || this.#renewedMechanism !== undefined;
  }

  /** Whether a login, or the renewal of one, has failed. */
  get hasFailed(): boolean {
    return this.#phase === Phase.FAILED;
  }

  /** Whether the next frame is a bare message of the login. */
  get isRaw(): boolean {
    return this.#isRaw && this.#phase === Phase.AUTHENTICATE;
  }

  /** Why a request must not be handled now; asked for each, in order, just before it would be. */
  admit(apiKey: number): GateRefusal | undefined {
    switch (this.#phase) {
      case Phase.AUTHENTICATED:
        return this.#admitAuthenticated(apiKey);
      case Phase.HANDSHAKE:
        if (apiKey === ApiKey.API_VERSIONS || apiKey === ApiKey.SASL_HANDSHAKE) return undefined;
        return { reason: `unexpected request of API key ${apiKey} before the SASL handshake` };
      case Phase.AUTHENTICATE:
        if (apiKey === ApiKey.SASL_AUTHENTICATE) return undefined;
        return {
          reason: `unexpected request of API key ${apiKey} during SASL authentication`,
          errorCode: ErrorCode.ILLEGAL_SASL_STATE,
        };
      case Phase.FAILED:
        return { reason: "a request after authentication had failed" };
    }
  }

  /** Answers SaslHandshake. A mechanism that is not enabled is answered as late as a wrong password. */
  async handshake(mechanism: string, version: number): Promise<HandshakeAnswer> {
    const { mechanisms } = this.#listener;
    if (this.#phase !== Phase.HANDSHAKE) return { errorCode: ErrorCode.ILLEGAL_SASL_STATE, mechanisms: [] };
    const renewed = this.#renewedMechanism;
    if (!mechanisms.includes(mechanism) || (renewed !== undefined && renewed !== mechanism)) {
      this.#phase = Phase.FAILED;
      await this.#delay(this.#clock.monotonic());
      const closeReason = mechanisms.includes(mechanism)
        ? `a session of ${String(renewed)} cannot be renewed by ${mechanism}`
        : `the SASL mechanism ${JSON.stringify(mechanism.slice(0, 32))} is not enabled, ${mechanisms.join(", ")} are`;
      return { errorCode: ErrorCode.UNSUPPORTED_SASL_MECHANISM, mechanisms, closeReason };
    }
    await this.#listener.refresh();
    this.#mechanism = mechanism;
    this.#exchange = this.#listener.begin(mechanism);
    this.#isRaw = version === 0;
    this.#phase = Phase.AUTHENTICATE;
    return { errorCode: ErrorCode.NONE, mechanisms };
  }

  /** Takes a message of the login. What is wrong is answered `connection.failed.authentication.delay.ms` later. */
  async authenticate(token: Buffer): Promise<AuthenticateAnswer> {
    const begunAtMs = this.#clock.monotonic();
    const exchange = this.#exchange;
    if (this.#phase !== Phase.AUTHENTICATE || exchange === undefined) return illegalState();
    const step = await exchange.step(token);
    switch (step.kind) {
      case "challenge":
        return { errorCode: ErrorCode.NONE, errorMessage: "", message: step.message, sessionLifetimeMs: 0 };
      case "failed":
        return this.#fail(begunAtMs, step.reason);
      case "done":
        return this.#complete(begunAtMs, step);
    }
  }

  #admitAuthenticated(apiKey: number): GateRefusal | undefined {
    const nowMs = this.#clock.monotonic();
    if (apiKey === ApiKey.SASL_HANDSHAKE && nowMs - this.#renewedAtMs >= RENEWAL_INTERVAL_MS_MIN) {
      this.#renewedAtMs = nowMs;
      this.#renewedMechanism = this.#mechanism;
      this.#phase = Phase.HANDSHAKE;
      return undefined;
    }
    return nowMs > this.#endsAtMs ? { reason: "the session has ended and was not renewed" } : undefined;
  }

  #complete(
    begunAtMs: number,
    { message, user }: SaslStep & { kind: "done" },
  ): AuthenticateAnswer | Promise<AuthenticateAnswer> {
    if (this.#renewedMechanism !== undefined && user !== this.#principal.name) {
      // Who it is has been proved for both: nothing is revealed.
      const told = `Cannot change principals during re-authentication from ${dotted(this.#principal)}: ${dotted(userPrincipal(user))}`;
      return this.#fail(begunAtMs, `a session of ${this.#principal.text} cannot be renewed by another user`, told);
    }
    if (this.#renewedMechanism === undefined) this.#principal = userPrincipal(user);
    this.#renewedMechanism = undefined;
    this.#exchange = undefined;
    this.#phase = Phase.AUTHENTICATED;
    const sessionMs = Math.max(0, this.#listener.sessionMsMax(this.#mechanism));
    this.#endsAtMs = sessionMs === 0 ? Number.POSITIVE_INFINITY : this.#clock.monotonic() + sessionMs;
    return { errorCode: ErrorCode.NONE, errorMessage: "", message, sessionLifetimeMs: sessionMs };
  }

  /** @param told what the client is told instead of what it is for any wrong password */
  async #fail(begunAtMs: number, reason: string, told?: string): Promise<AuthenticateAnswer> {
    const occasion = this.#renewedMechanism === undefined ? "authentication" : "re-authentication";
    this.#phase = Phase.FAILED;
    await this.#delay(begunAtMs);
    return {
      errorCode: ErrorCode.SASL_AUTHENTICATION_FAILED,
      errorMessage:
        told ??
        `Authentication failed during ${occasion} due to invalid credentials with SASL mechanism ${this.#mechanism}`,
      message: EMPTY,
      sessionLifetimeMs: 0,
      closeReason: `${occasion} by ${this.#mechanism} failed: ${reason}`,
    };
  }

  /** Until a fixed time after the message came: how long looking at it took is not to be seen. */
  #delay(sinceMs: number): Promise<void> {
    const delayMs = sinceMs + this.#listener.failureDelayMs() - this.#clock.monotonic();
    if (delayMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#clock.schedule(delayMs, resolve);
    });
  }
}

/** As Kafka writes it where a session would change hands. */
function dotted({ type, name }: KafkaPrincipal): string {
  return `${type}.${name}`;
}

/** What an authentication that nobody expects is answered. */
export function illegalState(): AuthenticateAnswer {
  return {
    errorCode: ErrorCode.ILLEGAL_SASL_STATE,
    errorMessage: "SaslAuthenticate request received after successful authentication",
    message: EMPTY,
    sessionLifetimeMs: 0,
  };
}
