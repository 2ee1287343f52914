import type { ApiCodec } from "../messages/api-codec.js";
import { readRequestHeader, type RequestHeader } from "../messages/generated/index.js";
import type { Reader } from "../wire/reader.js";

/** Bytes that every request header begins with: API key, version, correlation id. */
export const HEADER_BYTES_MIN = 8;

/**
 * Reads the header of a request and leaves `reader` at its body. Flexible versions have header version 2.
 *
 * @throws KaasError KAAS_WIRE_MALFORMED
 */
export function readHeader(reader: Reader, codec: ApiCodec, apiVersion: number): RequestHeader {
  return readRequestHeader(reader, apiVersion >= codec.flexibleSince ? 2 : 1);
}

/**
 * Reads the body of a request, which must be all that is left.
 *
 * @throws KaasError KAAS_WIRE_MALFORMED
 */
export function readBody(reader: Reader, codec: ApiCodec, apiVersion: number): unknown {
  const request = codec.readRequest(reader, apiVersion);
  reader.expectEnd();
  return request;
}
