/**
 * InitProducerId (key 22), versions 0-5.
 *
 * Gives a producer the id by which the idempotence window knows it (KIP-98). Without a transactional id every call
 * gets a fresh id at epoch 0, whatever id the producer had before (KIP-360).
 *
 * Transactions are not served: a transactional id is refused with UNSUPPORTED_VERSION, which clients treat as final.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type { InitProducerIdRequest, InitProducerIdResponseInit } from "../messages/generated/index.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";

const NO_PRODUCER = -1;

export const initProducerId: ApiHandler<InitProducerIdRequest, InitProducerIdResponseInit> = {
  key: 22,
  versionMin: 0,
  versionMax: 5,

  async handle(context, request) {
    const hasId = request.producerId !== NO_PRODUCER;
    const hasEpoch = request.producerEpoch !== NO_PRODUCER;
    if (hasId !== hasEpoch || request.transactionalId === "") return this.fail(request, ErrorCode.INVALID_REQUEST);
    const refusal = authorizationError(context, request.transactionalId);
    if (refusal !== ErrorCode.NONE) return this.fail(request, refusal);
    if (request.transactionalId !== null) return this.fail(request, ErrorCode.UNSUPPORTED_VERSION);
    return { errorCode: ErrorCode.NONE, producerId: await context.broker.producerIds.next(), producerEpoch: 0 };
  },

  fail(_request, errorCode) {
    return { errorCode, producerId: NO_PRODUCER, producerEpoch: NO_PRODUCER };
  },
};

/** Who may write to any topic at all may be given an id; IDEMPOTENT_WRITE is how it was said before KIP-679. */
function authorizationError({ connection }: RequestContext, transactionalId: string | null): ErrorCode {
  const { access } = connection;
  if (transactionalId !== null) {
    const mayWrite = access.may("WRITE", "TRANSACTIONAL_ID", transactionalId);
    return mayWrite ? ErrorCode.NONE : ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
  }
  if (access.mayOnAny("WRITE", "TOPIC") || access.mayOnCluster("IDEMPOTENT_WRITE")) return ErrorCode.NONE;
  return ErrorCode.CLUSTER_AUTHORIZATION_FAILED;
}
