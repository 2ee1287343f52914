/**
 * DescribeUserScramCredentials (key 50), version 0.
 *
 * Says which users have SCRAM credentials, for which mechanisms and of how many iterations (KIP-554); nothing that
 * would help to find a password. Without a list of users, all of them.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DescribeUserScramCredentialsRequest,
  DescribeUserScramCredentialsResponseInit,
} from "../messages/generated/index.js";
import type { Credentials } from "../ports/credentials.js";
import type { ApiHandler } from "./api-handler.js";
import { scramCodeOf } from "./scram-codes.js";

type Result = NonNullable<DescribeUserScramCredentialsResponseInit["results"]>[number];

export const describeUserScramCredentials: ApiHandler<
  DescribeUserScramCredentialsRequest,
  DescribeUserScramCredentialsResponseInit
> = {
  key: 50,
  versionMin: 0,
  versionMax: 0,

  handle({ broker, connection }, request) {
    if (!connection.access.mayOnCluster("DESCRIBE")) {
      return this.fail(request, ErrorCode.CLUSTER_AUTHORIZATION_FAILED);
    }
    const { credentials } = broker;
    const asked = (request.users ?? []).map(({ name }) => name);
    const names = asked.length === 0 ? [...credentials.users()] : asked;
    const isTwice = new Map<string, boolean>();
    for (const name of names) isTwice.set(name, isTwice.has(name));
    const results = [...isTwice].map(([name, again]) => (again ? twice(name) : described(credentials, name)));
    return { throttleTimeMs: 0, errorCode: ErrorCode.NONE, errorMessage: "", results };
  },

  fail(_request, errorCode) {
    return { throttleTimeMs: 0, errorCode, errorMessage: null, results: [] };
  },
};

function described(credentials: Credentials, user: string): Result {
  const scram = credentials.scram(user);
  if (scram === undefined) {
    const errorMessage = `Attempt to describe a user credential that does not exist: ${user}`;
    return { user, errorCode: ErrorCode.RESOURCE_NOT_FOUND, errorMessage, credentialInfos: [] };
  }
  const credentialInfos = [...scram]
    .map(([mechanism, { iterations }]) => ({ mechanism: scramCodeOf.get(mechanism) ?? 0, iterations }))
    .sort((one, other) => one.mechanism - other.mechanism);
  return { user, errorCode: ErrorCode.NONE, errorMessage: "", credentialInfos };
}

function twice(user: string): Result {
  const errorMessage = `Cannot describe SCRAM credentials for the same user twice in a single request: ${user}`;
  return { user, errorCode: ErrorCode.DUPLICATE_RESOURCE, errorMessage, credentialInfos: [] };
}
