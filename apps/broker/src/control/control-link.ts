import type { MessagePort } from "node:worker_threads";
import { KaasError, KaasErrorCode } from "@kaas/core";

/** One end of the connection between the two threads. */
export interface ControlLink<Sent, Received> {
  send(message: Sent): void;
  /** Called for every message, in order. There is one receiver. */
  receive(callback: (message: Received) => void): void;
  close(): void;
}

/** An end that is a port, or a worker, which has the same methods. */
export function linkOver<Sent, Received>(port: MessagePort): ControlLink<Sent, Received> {
  return {
    send: (message) => port.postMessage(message),
    receive: (callback) => void port.on("message", callback),
    close: () => port.close(),
  };
}

/** What an error is on the other side of a link. */
export interface SentError {
  readonly code: string;
  readonly message: string;
}

export function errorToSend(error: unknown): SentError {
  if (error instanceof KaasError) return { code: error.code, message: error.message };
  return { code: "", message: error instanceof Error ? error.message : String(error) };
}

export function receivedError({ code, message }: SentError): Error {
  const known = Object.values(KaasErrorCode).find((name) => name === code);
  return known === undefined ? new Error(message) : new KaasError(known, message);
}
