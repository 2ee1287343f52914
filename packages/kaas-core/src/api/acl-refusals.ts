import { ErrorCode } from "../errors/error-codes.js";
import { KaasError } from "../errors/kaas-error.js";
import type { AclChange, AclChangeRefusal } from "../ports/acls.js";
import type { Broker } from "./broker-services.js";

/** Said with SECURITY_DISABLED. */
export const NO_AUTHORIZER = "No Authorizer is configured on the broker";

/** How long a change of ACLs may take: their requests say nothing of it, so it is what clients wait by default. */
const CHANGE_MS_MAX = 30_000;

/** Changes ACLs; what stood against it, or undefined. A volume that fails is logged, and answered so as to be retried. */
export async function changeAcls(broker: Broker, change: AclChange): Promise<AclChangeRefusal | undefined> {
  const { aclAdmin, log } = broker;
  if (change.added.length === 0 && change.removed.length === 0) return undefined;
  if (aclAdmin === undefined) {
    return { errorCode: ErrorCode.SECURITY_DISABLED, message: "ACLs cannot be changed through this broker" };
  }
  try {
    return await aclAdmin.changeAcls(change, CHANGE_MS_MAX);
  } catch (error) {
    log.error({ err: error }, "ACLs could not be changed");
    const reason = error instanceof KaasError ? error.message : "an unexpected error, see the broker's log";
    return { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: `ACLs could not be changed: ${reason}` };
  }
}
