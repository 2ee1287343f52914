/**
 * AlterClientQuotas (key 49), versions 0-1.
 *
 * Sets and removes quotas (KIP-546). Of one entity all changes are made or none; entities are independent.
 */
import { ErrorCode } from "../errors/error-codes.js";
import { KaasError } from "../errors/kaas-error.js";
import type {
  AlterClientQuotasRequest,
  AlterClientQuotasRequestEntryData,
  AlterClientQuotasResponseInit,
} from "../messages/generated/index.js";
import type { QuotaKey } from "../ports/credentials.js";
import type { QuotaAlteration, UserChangeRefusal } from "../ports/user-admin.js";
import { entityOf, entityProblem, isQuotaKey, keptLimit, limitProblem } from "../security/quotas/quota-entity.js";
import type { ApiHandler } from "./api-handler.js";
import type { Broker } from "./broker-services.js";

export const alterClientQuotas: ApiHandler<AlterClientQuotasRequest, AlterClientQuotasResponseInit> = {
  key: 49,
  versionMin: 0,
  versionMax: 1,

  async handle({ broker }, request) {
    const outcomes: (UserChangeRefusal | undefined)[] = [];
    // One after the other: each is written as a whole.
    for (const entry of request.entries) {
      const planned = plan(entry);
      if ("errorCode" in planned) outcomes.push(planned);
      else outcomes.push(request.validateOnly ? undefined : await alter(broker, planned));
    }
    return answer(request, outcomes);
  },

  fail(request, errorCode) {
    return answer(
      request,
      request.entries.map(() => ({ errorCode, message: "" })),
    );
  },
};

function plan({ entity, ops }: AlterClientQuotasRequestEntryData): QuotaAlteration | UserChangeRefusal {
  const problem = entityProblem(entity);
  if (problem !== undefined) return invalid(problem);
  const limits: Partial<Record<QuotaKey, number | null>> = {};
  for (const { key, value, remove } of ops) {
    const wrong = remove ? undefined : limitProblem(entity, key, value);
    if (wrong !== undefined) return invalid(wrong);
    // That there is no limit of an unknown name is so already.
    if (isQuotaKey(key)) limits[key] = remove ? null : keptLimit(key, value);
  }
  return { entity: entityOf(entity), limits };
}

async function alter({ userAdmin, log }: Broker, alteration: QuotaAlteration): Promise<UserChangeRefusal | undefined> {
  if (userAdmin === undefined) return invalid("Quotas cannot be changed through this broker");
  try {
    return await userAdmin.alterQuotas(alteration);
  } catch (error) {
    log.error({ err: error }, "a quota could not be changed");
    const reason = error instanceof KaasError ? error.message : "an unexpected error, see the broker's log";
    return { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: `The quota could not be changed: ${reason}` };
  }
}

function invalid(message: string): UserChangeRefusal {
  return { errorCode: ErrorCode.INVALID_REQUEST, message };
}

function answer(
  { entries }: AlterClientQuotasRequest,
  outcomes: readonly (UserChangeRefusal | undefined)[],
): AlterClientQuotasResponseInit {
  return {
    entries: entries.map(({ entity }, index) => {
      const refusal = outcomes[index];
      const errorMessage = refusal === undefined || refusal.message === "" ? null : refusal.message;
      return { errorCode: refusal?.errorCode ?? ErrorCode.NONE, errorMessage, entity };
    }),
  };
}
