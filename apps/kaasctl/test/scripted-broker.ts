import { type ApiCodec, apiCodecs, Reader, Writer } from "@kaas/core/internal";
import type { CallName, Calls } from "../src/client/calls.js";
import { answering, type StandIn, standIn } from "./stand-in-broker.js";

/** What a broker answers, by API; of the others it says that it does not serve them. */
export type Script = {
  readonly [Name in CallName]?: (request: never) => unknown;
};

const codecs = new Map(apiCodecs.map((codec) => [codec.key, codec]));
const API_VERSIONS = 18;

/** A broker that answers what a test wants. */
export function scriptedBroker(script: Script): Promise<StandIn> {
  const writer = new Writer();
  const answer = (bytes: Buffer): Buffer => {
    const reader = new Reader(bytes);
    const codec = codecs.get(reader.int16());
    const version = reader.int16();
    const correlationId = reader.int32();
    if (codec === undefined) throw new Error("there is no such API");
    reader.nullableString();
    const isFlexible = version >= codec.flexibleSince;
    if (isFlexible) reader.skipTags();
    const request = codec.readRequest(reader, version);
    writer.int32(correlationId);
    if (isFlexible && codec.key !== API_VERSIONS) writer.unsignedVarint(0);
    codec.writeResponse(writer, responseOf(script, codec, request), version);
    return Buffer.concat(writer.finish());
  };
  return standIn(answering(answer));
}

function responseOf(script: Script, { key, name }: ApiCodec, request: unknown): unknown {
  if (key === API_VERSIONS) return { errorCode: 0, apiKeys: servedBy(script) };
  return script[name as CallName]?.(request as never);
}

function servedBy(script: Script): object[] {
  return apiCodecs
    .filter(({ name }) => Object.hasOwn(script, name))
    .map(({ key, versionMin, versionMax }) => ({ apiKey: key, minVersion: versionMin, maxVersion: versionMax }));
}

/** A cluster of one that is not fenced, at an address. */
export function describedCluster(address: () => string, nodeId = 1): Calls["DescribeCluster"]["response"] {
  const [host = "", port] = address().split(":");
  const brokers = [{ brokerId: nodeId, host, port: Number(port), rack: "east", isFenced: false }];
  const described = {
    errorCode: 0,
    errorMessage: null,
    endpointType: 1,
    clusterId: "c",
    controllerId: nodeId,
    brokers,
  };
  return { ...described, throttleTimeMs: 0, clusterAuthorizedOperations: 0 };
}
