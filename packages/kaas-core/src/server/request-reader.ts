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
 * Reads the body of a request. Bytes behind it are passed over, as Apache Kafka does: librdkafka 2.16 sends three of
 * them with the Metadata request for all topics.
 *
 * @throws KaasError KAAS_WIRE_MALFORMED
 */
export function readBody(reader: Reader, codec: ApiCodec, apiVersion: number): unknown {
  return codec.readRequest(reader, apiVersion);
}
