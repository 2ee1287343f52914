import { ApiKey } from "../messages/generated/index.js";
import { Writer } from "../wire/writer.js";
import type { ServedApi } from "../api/api-registry.js";

/** Encodes responses, one after the other, into frames. One for all connections: they share its slabs. */
export class ResponseWriter {
  readonly #writer = new Writer();

  /** The frame of a response, as pieces to be sent in order. What the codec throws, a bug of the handler, is passed on. */
  write({ codec }: ServedApi, version: number, correlationId: number, response: unknown): Buffer[] {
    const writer = this.#writer;
    try {
      writer.int32(0);
      writer.int32(correlationId);
      // The header of ApiVersions never has tags: the client does not know yet whether the broker has such versions.
      if (version >= codec.flexibleSince && codec.key !== ApiKey.ApiVersions) writer.unsignedVarint(0);
      codec.writeResponse(writer, response, version);
      return writer.finishFrame();
    } catch (error) {
      writer.abandon();
      throw error;
    }
  }
}
