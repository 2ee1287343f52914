import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryMessage } from "../../test/conformance/arbitrary-message.js";
import { ErrorCode } from "../errors/error-codes.js";
import { apiSchemas } from "../messages/api-schemas.js";
import type { MessageSchema } from "../messages/schema.js";
import { Reader } from "../wire/reader.js";
import { Writer } from "../wire/writer.js";
import { ApiRegistry } from "./api-registry.js";
import { apiHandlers } from "./index.js";

const requestSchemas = new Map(apiSchemas.map(({ key, request }) => [key, request]));

// What a handler says when it cannot do its work must be sayable, whatever the request held.
describe.each(new ApiRegistry(apiHandlers).all())("$codec.name", ({ handler, codec }) => {
  const versions = Array.from(
    { length: codec.versionMax - codec.versionMin + 1 },
    (_, index) => codec.versionMin + index,
  );

  test.each(versions)("a failure can be told in version %i", (version) => {
    const requests = arbitraryMessage(requestSchemas.get(handler.key) as MessageSchema, version);
    fc.assert(
      fc.property(requests, (message) => {
        const writer = new Writer();
        codec.writeRequest(writer, message, version);
        const request = codec.readRequest(new Reader(Buffer.concat(writer.finish())), version);
        const response: unknown = handler.fail(request, ErrorCode.UNKNOWN_SERVER_ERROR);
        if (response === undefined) return;
        codec.writeResponse(writer, response, version);
        const reader = new Reader(Buffer.concat(writer.finish()));
        codec.readResponse(reader, version);
        expect(reader.remaining).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});
