import type { ErrorCode } from "../errors/error-codes.js";
import type { Lease, SharedLease } from "../ports/memory.js";
import type { Access } from "../security/access.js";
import type { KafkaPrincipal } from "../security/kafka-principal.js";
import type { SaslSession } from "../security/sasl/sasl-session.js";
import type { Broker } from "./broker-services.js";

/** Who sent a request, and over what. One object for the life of a connection. */
export interface ClientConnection {
  readonly id: number;
  /** Name of the listener that the client connected to, such as `PLAINTEXT`. */
  readonly listenerName: string;
  readonly remoteAddress: string;
  /** Who the client is; anonymous until it has logged in, and the same object from then on. */
  readonly principal: KafkaPrincipal;
  /** The client's login; undefined on listeners without SASL. */
  readonly sasl: SaslSession | undefined;
  /** What the principal may do from where it is. */
  readonly access: Access;
  /** From ApiVersions v3 (KIP-511); empty before. */
  clientSoftwareName: string;
  clientSoftwareVersion: string;
  /** Closes the connection without an answer, for the reason given; for errors that have no other way to be told. */
  close(reason: string): void;
  /** Takes no more requests, and closes once those in flight are answered, for what the client did. */
  refuseAfterAnswers(reason: string): void;
  /** Calls back once when the connection has closed, whatever the reason. Returns a function that takes it back. */
  onClose(callback: () => void): () => void;
}

/** One request as its handler sees it. */
export interface RequestContext {
  readonly broker: Broker;
  readonly connection: ClientConnection;
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly clientId: string | null;
  /**
   * What the memory of the request's records is lent by, where it is (Produce): held until the answer is there, and
   * longer by whoever retains it before.
   */
  readonly requestMemory: SharedLease | undefined;
}

/**
 * One API key. `Request` is what the codec decodes, `Response` what it encodes (the `…Init` type).
 *
 * A handler answers expected outcomes with Kafka's error codes; a throw is a bug or the outside world failing, and is
 * answered by `fail` with UNKNOWN_SERVER_ERROR.
 */
export interface ApiHandler<Request, Response> {
  readonly key: number;
  /** Versions that are wholly served; ApiVersions and the documentation are computed from these. */
  readonly versionMin: number;
  readonly versionMax: number;
  /** Undefined: no answer is sent (Produce with acks=0). */
  handle(context: RequestContext, request: Request): Response | Promise<Response | undefined> | undefined;
  /** The response that says the same error to all that was asked; undefined where no response can say so. */
  fail(request: Request, errorCode: ErrorCode): Response | undefined;
  /** What the response's bytes are lent by, if they are: released once they have been sent, or will not be. */
  lease?(response: Response): Lease | undefined;
}

/** Loses the message types, for the registry. */
// biome-ignore lint/suspicious/noExplicitAny: the registry pairs each handler with the codec of its own key
export type AnyApiHandler = ApiHandler<any, any>;
