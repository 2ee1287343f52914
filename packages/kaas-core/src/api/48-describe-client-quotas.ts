/**
 * DescribeClientQuotas (key 48), versions 0-1.
 *
 * Lists the quotas whose entities a filter means (KIP-546).
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DescribeClientQuotasRequest,
  DescribeClientQuotasRequestComponentData,
  DescribeClientQuotasResponseInit,
} from "../messages/generated/index.js";
import type { ClientQuota } from "../ports/credentials.js";
import { isQuotaEntityType, partsOf } from "../security/quotas/quota-entity.js";
import type { ApiHandler } from "./api-handler.js";

/** How a component means names: one, the default, or any that is there. */
const MatchType = { EXACT: 0, DEFAULT: 1, SPECIFIED: 2 } as const;

interface Problem {
  readonly errorCode: ErrorCode;
  readonly message: string;
}

export const describeClientQuotas: ApiHandler<DescribeClientQuotasRequest, DescribeClientQuotasResponseInit> = {
  key: 48,
  versionMin: 0,
  versionMax: 1,

  handle({ broker }, request) {
    const problem = problemOf(request.components);
    if (problem !== undefined) return refused(problem);
    const found = broker.credentials.quotas().filter((quota) => isMeant(request, quota));
    return {
      errorCode: ErrorCode.NONE,
      errorMessage: null,
      entries: found.map(({ entity, limits }) => ({
        entity: partsOf(entity),
        values: Object.entries(limits).map(([key, value]) => ({ key, value })),
      })),
    };
  },

  fail(_request, errorCode) {
    return refused({ errorCode, message: "" });
  },
};

function refused({ errorCode, message }: Problem): DescribeClientQuotasResponseInit {
  return { errorCode, errorMessage: message === "" ? null : message, entries: null };
}

function problemOf(components: readonly DescribeClientQuotasRequestComponentData[]): Problem | undefined {
  const invalid = (message: string): Problem => ({ errorCode: ErrorCode.INVALID_REQUEST, message });
  const types = new Set<string>();
  for (const { entityType, matchType, match } of components) {
    if (entityType === "") return invalid("Invalid empty entity type.");
    if (types.has(entityType)) return invalid(`Entity type ${entityType} cannot appear more than once in the filter.`);
    if (!isQuotaEntityType(entityType)) {
      return { errorCode: ErrorCode.UNSUPPORTED_VERSION, message: `Unsupported entity type ${entityType}` };
    }
    types.add(entityType);
    if (matchType === MatchType.EXACT && match === null) {
      return invalid("Request specified MATCH_TYPE_EXACT, but set match string to null.");
    }
    if (matchType !== MatchType.EXACT && matchType !== MatchType.DEFAULT && matchType !== MatchType.SPECIFIED) {
      return invalid(`Unknown match type ${matchType}`);
    }
    if (matchType !== MatchType.EXACT && match !== null) {
      const name = matchType === MatchType.DEFAULT ? "MATCH_TYPE_DEFAULT" : "MATCH_TYPE_SPECIFIED";
      return invalid(`Request specified ${name}, but also specified a match string.`);
    }
  }
  if (types.has("ip") && types.size > 1) {
    return invalid(
      "Invalid entity filter component combination. IP filter component should not be used with user or clientId filter component.",
    );
  }
  return undefined;
}

/** Whether an entity has all that the filter names, and nothing else where that is asked for. */
function isMeant({ components, strict }: DescribeClientQuotasRequest, { entity }: ClientQuota): boolean {
  const parts = new Map(partsOf(entity).map(({ entityType, entityName }) => [entityType, entityName]));
  if (strict && parts.size !== components.length) return false;
  return components.every(({ entityType, matchType, match }) => {
    const name = parts.get(entityType);
    if (name === undefined) return false;
    return matchType === MatchType.SPECIFIED || name === match;
  });
}
