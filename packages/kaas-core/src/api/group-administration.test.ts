import { expect, test } from "vitest";
import { exchange, failures, versionsOf } from "../../test/fakes/api-exchange.js";
import { GroupHarness } from "../../test/fakes/group-harness.js";
import { SoleBroker } from "../cluster/sole-broker.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DeleteGroupsResponse,
  DescribeGroupsResponse,
  FindCoordinatorResponse,
  ListGroupsResponse,
} from "../messages/generated/index.js";
import type { AdvertisedListener, ClusterView } from "../ports/cluster-view.js";
import { findCoordinator } from "./10-find-coordinator.js";
import { describeGroups } from "./15-describe-groups.js";
import { listGroups } from "./16-list-groups.js";
import { deleteGroups } from "./42-delete-groups.js";
import type { AnyApiHandler } from "./api-handler.js";

const HERE: AdvertisedListener = { listenerName: "PLAINTEXT", host: "broker.example", port: 9092 };

/** Broker 5, alone, that is reached in one way or in none. */
function alone(listeners: readonly AdvertisedListener[]): ClusterView {
  const view = new SoleBroker({ nodeId: 5, name: "kaas-5", incarnation: "i", rack: null });
  view.advertise(listeners);
  return view;
}

function ask<Response>(
  harness: GroupHarness,
  handler: AnyApiHandler,
  version: number,
  request: object,
): Promise<Response> {
  const services = { nodeId: 5, groups: harness.coordinator, cluster: alone([HERE]) };
  return exchange<Response>(services, handler, version, request);
}

/** One coordinator, in whichever way the version asks for it. */
async function find(version: number, keyType: number, listeners: readonly AdvertisedListener[] = [HERE]) {
  const harness = new GroupHarness();
  const request =
    version < 4 ? { key: "k", ...(version >= 1 ? { keyType } : {}) } : { keyType, coordinatorKeys: ["k", ""] };
  const services = { nodeId: 5, groups: harness.coordinator, cluster: alone(listeners) };
  const response = await exchange<FindCoordinatorResponse>(services, findCoordinator, version, request);
  if (version < 4) return response;
  expect(response.coordinators.map(({ key }) => key)).toEqual(["k", ""]);
  return response.coordinators[0];
}

test.each(versionsOf(findCoordinator))("FindCoordinator version %i", async (version) => {
  expect(await find(version, 0)).toMatchObject({ errorCode: 0, nodeId: 5, host: "broker.example", port: 9092 });
  const nowhere = { nodeId: -1, host: "", port: -1 };
  expect(await find(version, 0, [])).toMatchObject({ ...nowhere, errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE });
  if (version < 1) return;
  expect(await find(version, 1)).toMatchObject({
    ...nowhere,
    errorCode: ErrorCode.UNSUPPORTED_VERSION,
    errorMessage: "This broker does not support transactions",
  });
  for (const keyType of [2, 9, -1]) {
    expect(await find(version, keyType)).toMatchObject({ ...nowhere, errorCode: ErrorCode.INVALID_REQUEST });
  }
});

test.each(versionsOf(describeGroups))("DescribeGroups version %i", async (version) => {
  const harness = await new GroupHarness().start();
  const [member] = await harness.stableGroup({ groupInstanceId: "i" });
  const request = { groups: ["g", "other"], ...(version >= 3 ? { includeAuthorizedOperations: true } : {}) };
  const { groups } = await ask<DescribeGroupsResponse>(harness, describeGroups, version, request);
  expect(groups[0]).toMatchObject({
    errorCode: 0,
    errorMessage: null,
    groupId: "g",
    groupState: "Stable",
    protocolType: "consumer",
    protocolData: "range",
    authorizedOperations: version >= 3 ? 3_400 : -2_147_483_648,
    members: [
      {
        memberId: member?.memberId,
        groupInstanceId: version >= 4 ? "i" : null,
        clientId: "client",
        clientHost: "/127.0.0.1",
        memberAssignment: Buffer.from(member?.memberId ?? ""),
      },
    ],
  });
  expect(groups[1]).toMatchObject({
    groupId: "other",
    groupState: "Dead",
    errorCode: version >= 6 ? ErrorCode.GROUP_ID_NOT_FOUND : 0,
    errorMessage: version >= 6 ? "Group other not found." : null,
    // A group that does not exist yet may be joined: until version 5 it is described as one that is dead.
    authorizedOperations: version < 3 || version >= 6 ? -2_147_483_648 : 3400,
  });
});

test("DescribeGroups says nothing of operations unless asked, nor of groups it cannot look at", async () => {
  const harness = await new GroupHarness().start();
  await harness.stableGroup({});
  const { groups } = await ask<DescribeGroupsResponse>(harness, describeGroups, 6, { groups: ["g"] });
  expect(groups[0]?.authorizedOperations).toBe(-2_147_483_648);
  await harness.coordinator.close();
  const closed = await ask<DescribeGroupsResponse>(harness, describeGroups, 6, { groups: ["g"] });
  expect(closed.groups[0]).toMatchObject({ errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE, groupState: "" });
});

test.each(versionsOf(listGroups))("ListGroups version %i", async (version) => {
  const harness = await new GroupHarness().start();
  await harness.stableGroup({});
  await harness.join({ groupId: "empty", memberIdRequired: true });
  const list = (request: object) => ask<ListGroupsResponse>(harness, listGroups, version, request);
  const all = await list({});
  expect(all.groups.map(({ groupId }) => groupId).sort()).toEqual(["empty", "g"]);
  expect(all.groups.find(({ groupId }) => groupId === "g")).toEqual({
    groupId: "g",
    protocolType: "consumer",
    groupState: version >= 4 ? "Stable" : "",
    groupType: version >= 5 ? "classic" : "",
  });
  if (version >= 4) expect((await list({ statesFilter: ["EMPTY"] })).groups).toHaveLength(1);
  if (version >= 5) expect((await list({ typesFilter: ["consumer"] })).groups).toHaveLength(0);
  await harness.coordinator.close();
  expect(await list({})).toMatchObject({ errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE, groups: [] });
});

test.each(versionsOf(deleteGroups))("DeleteGroups version %i", async (version) => {
  const harness = await new GroupHarness().start();
  await harness.stableGroup({});
  await harness.join({ groupId: "empty", memberIdRequired: true });
  const groupsNames = ["g", "empty", "other", "empty"];
  const { results } = await ask<DeleteGroupsResponse>(harness, deleteGroups, version, { groupsNames });
  expect(results.map(({ groupId, errorCode }) => [groupId, errorCode])).toEqual([
    ["g", ErrorCode.NON_EMPTY_GROUP],
    ["empty", 0],
    ["other", ErrorCode.GROUP_ID_NOT_FOUND],
  ]);
});

test("failures can be said in every version", () => {
  const errorCode = ErrorCode.UNKNOWN_SERVER_ERROR;
  for (const answer of failures<ListGroupsResponse>(listGroups, {}, errorCode))
    expect(answer.errorCode).toBe(errorCode);
  for (const { groups } of failures<DescribeGroupsResponse>(describeGroups, { groups: ["g"] }, errorCode)) {
    expect(groups).toMatchObject([{ groupId: "g", errorCode }]);
  }
  for (const { results } of failures<DeleteGroupsResponse>(deleteGroups, { groupsNames: ["g"] }, errorCode)) {
    expect(results).toMatchObject([{ groupId: "g", errorCode }]);
  }
  const asked = { key: "k", coordinatorKeys: ["k"] };
  for (const [version, answer] of failures<FindCoordinatorResponse>(findCoordinator, asked, errorCode).entries()) {
    expect(version < 4 ? answer : answer.coordinators[0]).toMatchObject({ errorCode, nodeId: -1 });
  }
});
