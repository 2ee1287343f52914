import type { Reader } from "../wire/reader.js";
import type { Writer } from "../wire/writer.js";

/** Codecs of one API key. Versions outside the bounds must not be passed. */
export interface ApiCodec {
  readonly key: number;
  /** Kafka's name, such as `Fetch`. */
  readonly name: string;
  /** Oldest version that can be encoded and decoded: Apache Kafka 3.7's oldest. */
  readonly versionMin: number;
  /** Newest version: Apache Kafka 4.4's. */
  readonly versionMax: number;
  /** First version with compact lengths and tagged fields; Infinity if there is none. */
  readonly flexibleSince: number;
  readRequest(reader: Reader, version: number): unknown;
  writeRequest(writer: Writer, message: unknown, version: number): void;
  readResponse(reader: Reader, version: number): unknown;
  writeResponse(writer: Writer, message: unknown, version: number): void;
  /** The response that says nothing but an error of the request as a whole; undefined where a version has no place for one. */
  errorResponse(errorCode: number, version: number): unknown;
}
