import { expect, test } from "vitest";
import { handlerHarness } from "../../test/fakes/handler-context.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { ApiVersionsRequest, ApiVersionsResponseInit } from "../messages/generated/index.js";
import { apiVersions, unsupportedApiVersions } from "./18-api-versions.js";
import { ApiRegistry } from "./api-registry.js";

const apis = new ApiRegistry([apiVersions]);
const harness = handlerHarness({ apis });

function run(version: number, request: Partial<ApiVersionsRequest> = {}): ApiVersionsResponseInit {
  const asked = {
    clientSoftwareName: "kaas-test",
    clientSoftwareVersion: "1.0",
    clusterId: null,
    nodeId: -1,
    ...request,
  };
  return apiVersions.handle(harness.context(18, version), asked) as ApiVersionsResponseInit;
}

test("tells the registry's table", () => {
  expect(run(0).apiKeys).toEqual([{ apiKey: 18, minVersion: 0, maxVersion: 5 }]);
});

test("the features epoch is never the −1 that clients take for none", () => {
  expect(run(3).finalizedFeaturesEpoch).toBe(0);
});

test("remembers the client's software from version 3, and refuses malformed names", () => {
  expect(run(3).errorCode).toBe(ErrorCode.NONE);
  expect(harness.connection.clientSoftwareName).toBe("kaas-test");
  expect(run(3, { clientSoftwareName: "-dash" }).errorCode).toBe(ErrorCode.INVALID_REQUEST);
  expect(run(3, { clientSoftwareVersion: "" }).errorCode).toBe(ErrorCode.INVALID_REQUEST);
  expect(run(2, { clientSoftwareName: "" }).errorCode).toBe(ErrorCode.NONE);
});

test("a client that believes to talk to another cluster or node must start over", () => {
  expect(run(5, { clusterId: "cluster", nodeId: 1 }).errorCode).toBe(ErrorCode.NONE);
  expect(run(5, { clusterId: "other", nodeId: 1 }).errorCode).toBe(ErrorCode.REBOOTSTRAP_REQUIRED);
  expect(run(5, { clusterId: "cluster", nodeId: 2 }).errorCode).toBe(ErrorCode.REBOOTSTRAP_REQUIRED);
});

test("a client that names its cluster names its node, too", () => {
  expect(run(5, { clusterId: "cluster" }).errorCode).toBe(ErrorCode.INVALID_REQUEST);
  expect(run(5, { nodeId: 1 }).errorCode).toBe(ErrorCode.INVALID_REQUEST);
});

test("a version that is not served learns the range of this API", () => {
  const answer = unsupportedApiVersions(apis);
  expect(answer.errorCode).toBe(ErrorCode.UNSUPPORTED_VERSION);
  expect(answer.apiKeys).toEqual([{ apiKey: 18, minVersion: 0, maxVersion: 5 }]);
});
