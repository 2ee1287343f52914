import type { AnyApiHandler, RequestContext } from "../../src/api/api-handler.js";
import type { Broker } from "../../src/api/broker-services.js";
import { apiCodecs } from "../../src/messages/generated/index.js";
import { Reader } from "../../src/wire/reader.js";
import { Writer } from "../../src/wire/writer.js";
import { FakeConnection } from "./handler-context.js";

/** Bytes of a message, and the message that they are read as. */
function throughWire<T>(write: (writer: Writer) => void, read: (reader: Reader) => T): T {
  const writer = new Writer();
  write(writer);
  const reader = new Reader(Buffer.concat(writer.finish()));
  const message = read(reader);
  reader.expectEnd();
  return message;
}

/**
 * One request and its answer as a client of that version sees it: what the version cannot say is lost on the way, and
 * what it must not say makes the exchange fail.
 */
export async function exchange<Response>(
  services: Partial<Broker>,
  handler: AnyApiHandler,
  version: number,
  request: object,
  clientId: string | null = "client",
): Promise<Response> {
  const codec = apiCodecs.find(({ key }) => key === handler.key);
  if (codec === undefined) throw new Error(`there is no codec for key ${handler.key}`);
  const context: RequestContext = {
    broker: { nodeId: 1, ...services } as unknown as Broker,
    connection: new FakeConnection(),
    apiKey: handler.key,
    apiVersion: version,
    clientId,
    requestMemory: undefined,
  };
  const asked = throughWire(
    (writer) => codec.writeRequest(writer, request, version),
    (reader) => codec.readRequest(reader, version),
  );
  const answer = await handler.handle(context, asked);
  return throughWire(
    (writer) => codec.writeResponse(writer, answer, version),
    (reader) => codec.readResponse(reader, version) as Response,
  );
}

/** Every version that a handler serves. */
export function versionsOf(handler: AnyApiHandler): number[] {
  return Array.from({ length: handler.versionMax - handler.versionMin + 1 }, (_, index) => handler.versionMin + index);
}

/** What a handler answers when it is told to fail, through the codec of each version. */
export function failures<Response>(handler: AnyApiHandler, request: object, errorCode: number): Response[] {
  const codec = apiCodecs.find(({ key }) => key === handler.key);
  if (codec === undefined) throw new Error(`there is no codec for key ${handler.key}`);
  return versionsOf(handler).map((version) => {
    const asked = throughWire(
      (writer) => codec.writeRequest(writer, request, version),
      (reader) => codec.readRequest(reader, version),
    );
    const answer = handler.fail(asked, errorCode as Parameters<typeof handler.fail>[1]);
    return throughWire(
      (writer) => codec.writeResponse(writer, answer, version),
      (reader) => codec.readResponse(reader, version) as Response,
    );
  });
}
