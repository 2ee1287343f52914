/**
 * FindCoordinator (key 10), versions 0-6.
 *
 * Tells which broker coordinates a group.
 *
 * - v1: the type of the key; 0 is a group, 1 a transactional id.
 * - v4: several keys, and an error for each (KIP-699).
 * - v5: no change here; a transactional error of its own (KIP-890).
 * - v6: type 2, what a share group keeps of a partition (KIP-932), which only brokers ask each other.
 *
 * There are no transactions yet. A producer with a transactional id is told so at once: the retriable
 * COORDINATOR_NOT_AVAILABLE would have it wait for its whole timeout, and then report only that.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  FindCoordinatorRequest,
  FindCoordinatorResponseCoordinatorInit,
  FindCoordinatorResponseInit,
} from "../messages/generated/index.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { liveEndpoint } from "./cluster-endpoints.js";

const KeyType = { GROUP: 0, TRANSACTION: 1 } as const;

type Coordinator = Omit<FindCoordinatorResponseCoordinatorInit, "key">;

export const findCoordinator: ApiHandler<FindCoordinatorRequest, FindCoordinatorResponseInit> = {
  key: 10,
  versionMin: 0,
  versionMax: 6,

  handle(context, request) {
    const { keyType } = request;
    if (context.apiVersion < 4) return find(context, keyType, request.key);
    return { coordinators: request.coordinatorKeys.map((key) => ({ key, ...find(context, keyType, key) })) };
  },

  fail(request, errorCode) {
    const coordinator = nowhere(errorCode, null);
    return { ...coordinator, coordinators: request.coordinatorKeys.map((key) => ({ key, ...coordinator })) };
  },
};

/** Kafka names the error to those alone who ask for one coordinator. */
function messageOf({ apiVersion }: RequestContext, message: string): string | null {
  return apiVersion < 4 ? message : null;
}

function find(context: RequestContext, keyType: number, key: string): Coordinator {
  const { access } = context.connection;
  if (keyType === KeyType.GROUP && !access.may("DESCRIBE", "GROUP", key)) {
    return nowhere(ErrorCode.GROUP_AUTHORIZATION_FAILED, messageOf(context, "Group authorization failed."));
  }
  if (keyType === KeyType.TRANSACTION && !access.may("DESCRIBE", "TRANSACTIONAL_ID", key)) {
    const message = "The transactional id authorization failed.";
    return nowhere(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, messageOf(context, message));
  }
  return coordinatorOf(context, keyType, key);
}

/** The slot's coordinator as it is assigned, whether it serves the slot already or not. */
function coordinatorOf(context: RequestContext, keyType: number, key: string): Coordinator {
  if (keyType === KeyType.TRANSACTION) {
    return nowhere(ErrorCode.UNSUPPORTED_VERSION, "This broker does not support transactions");
  }
  if (keyType !== KeyType.GROUP) {
    return nowhere(ErrorCode.INVALID_REQUEST, `This broker coordinates nothing of key type ${keyType}`);
  }
  const { cluster, groups } = context.broker;
  const endpoint = liveEndpoint(context, cluster.coordinator("groups", groups.slotOf(key)));
  if (endpoint === undefined) return nowhere(ErrorCode.COORDINATOR_NOT_AVAILABLE, null);
  const { nodeId, host, port } = endpoint;
  return { errorCode: ErrorCode.NONE, errorMessage: null, nodeId, host, port };
}

function nowhere(errorCode: ErrorCode, errorMessage: string | null): Coordinator {
  return { errorCode, errorMessage, nodeId: -1, host: "", port: -1 };
}
