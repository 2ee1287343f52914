import { beforeEach, describe, expect, test } from "vitest";
import { type ConfigHarness, configHarness } from "../../test/fakes/config-harness.js";
import { apiCodecs } from "../messages/generated/index.js";
import { Reader } from "../wire/reader.js";
import { Writer } from "../wire/writer.js";
import { describeConfigs } from "./32-describe-configs.js";
import { alterConfigs } from "./33-alter-configs.js";
import { incrementalAlterConfigs } from "./44-incremental-alter-configs.js";
import { listConfigResources } from "./74-list-config-resources.js";
import type { AnyApiHandler } from "./api-handler.js";

const topic = { resourceType: 2, resourceName: "t" };

/** What each API is asked, and a part of what it must answer in every version. */
const exchanges: readonly [AnyApiHandler, unknown, (version: number) => unknown][] = [
  [
    describeConfigs,
    {
      resources: [{ ...topic, configurationKeys: ["retention.ms"] }],
      includeSynonyms: true,
      includeDocumentation: true,
    },
    (version) => {
      const entry = { name: "retention.ms", value: "1000", readOnly: false, isSensitive: false, configSource: 1 };
      const typed = version >= 3 ? { configType: 5, documentation: expect.stringMatching(/how long/i) } : {};
      return { results: [{ ...topic, errorCode: 0, configs: [{ ...entry, ...typed }] }] };
    },
  ],
  [
    alterConfigs,
    { resources: [{ ...topic, configs: [{ name: "segment.ms", value: "5" }] }], validateOnly: false },
    () => ({ responses: [{ ...topic, errorCode: 0, errorMessage: null }] }),
  ],
  [
    incrementalAlterConfigs,
    {
      resources: [{ ...topic, configs: [{ name: "segment.ms", configOperation: 0, value: "5" }] }],
      validateOnly: false,
    },
    () => ({ responses: [{ ...topic, errorCode: 0, errorMessage: null }] }),
  ],
  [
    listConfigResources,
    { resourceTypes: [2] },
    (version) => ({
      errorCode: 0,
      configResources: version === 0 ? [] : [{ resourceType: 2, resourceName: "t" }],
    }),
  ],
];

const versions = exchanges.flatMap(([handler, request, answer]) =>
  Array.from({ length: handler.versionMax - handler.versionMin + 1 }, (_, index) => ({
    key: handler.key,
    version: handler.versionMin + index,
    handler,
    request,
    answer,
  })),
);

let harness: ConfigHarness;

beforeEach(async () => {
  harness = await configHarness();
});

describe("over the wire", () => {
  test.each(versions)("key $key version $version", async ({ key, version, handler, request, answer }) => {
    const codec = apiCodecs.find((candidate) => candidate.key === key);
    if (codec === undefined) throw new Error(`key ${key} has no codec`);
    const asked = new Writer();
    codec.writeRequest(asked, request, version);
    const received = codec.readRequest(new Reader(Buffer.concat(asked.finish())), version);
    const answered = new Writer();
    codec.writeResponse(answered, await harness.call(handler, version, received), version);
    expect(codec.readResponse(new Reader(Buffer.concat(answered.finish())), version)).toMatchObject(
      answer(version) as object,
    );
  });
});
