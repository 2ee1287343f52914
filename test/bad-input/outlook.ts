import { ErrorCode } from "../../packages/kaas-core/src/errors/error-codes.js";
import type { ApiCodec } from "../../packages/kaas-core/src/messages/api-codec.js";
import { apiCodecs, readRequestHeader } from "../../packages/kaas-core/src/messages/generated/index.js";
import { Reader } from "../../packages/kaas-core/src/wire/reader.js";
import type { ServedVersions } from "./fuzz-requests.js";

const PREFIX_BYTES = 4;
const HEADER_BYTES_MIN = 8;
const API_VERSIONS = 18;

/** Foretells whether a frame leaves a broker no choice but to close the connection. */
export class Outlook {
  readonly #codecs: ReadonlyMap<number, ApiCodec>;

  constructor(apis: readonly ServedVersions[]) {
    const served = new Set(apis.map(({ apiKey }) => apiKey));
    this.#codecs = new Map(apiCodecs.filter(({ key }) => served.has(key)).map((codec) => [codec.key, codec]));
  }

  endsConnection(frame: Buffer): boolean {
    const size = frame.length - PREFIX_BYTES;
    if (frame.readInt32BE(0) !== size || size < HEADER_BYTES_MIN) return true;
    const codec = this.#codecs.get(frame.readInt16BE(PREFIX_BYTES));
    if (codec === undefined) return true;
    const version = frame.readInt16BE(PREFIX_BYTES + 2);
    const reader = new Reader(frame, PREFIX_BYTES);
    try {
      readRequestHeader(reader, version >= codec.flexibleSince ? 2 : 1);
    } catch {
      return true;
    }
    if (version < codec.versionMin || version > codec.versionMax) return codec.key !== API_VERSIONS;
    try {
      codec.readRequest(reader, version);
      return false;
    } catch {
      return codec.errorResponse(ErrorCode.INVALID_REQUEST, version) === undefined;
    }
  }
}
