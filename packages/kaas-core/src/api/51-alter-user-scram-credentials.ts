/**
 * AlterUserScramCredentials (key 51), version 0.
 *
 * Sets and deletes SCRAM credentials (KIP-554). The client sends what it made of the password, never the password. A
 * user may occur once in a request, as in Apache Kafka: two mechanisms take two requests.
 */
import { ErrorCode, type ErrorName } from "../errors/error-codes.js";
import { KaasError } from "../errors/kaas-error.js";
import type {
  AlterUserScramCredentialsRequest,
  AlterUserScramCredentialsResponseInit,
} from "../messages/generated/index.js";
import type { Credentials } from "../ports/credentials.js";
import type { ScramAlteration } from "../ports/user-admin.js";
import { credentialOfSalted, SCRAM_ITERATIONS_MAX, SCRAM_ITERATIONS_MIN } from "../security/sasl/scram-keys.js";
import type { ApiHandler } from "./api-handler.js";
import type { Broker } from "./broker-services.js";
import { scramMechanismOf } from "./scram-codes.js";

type Result = NonNullable<AlterUserScramCredentialsResponseInit["results"]>[number];
type Deletion = AlterUserScramCredentialsRequest["deletions"][number];
type Upsertion = AlterUserScramCredentialsRequest["upsertions"][number];

/** Longest salt that is kept. */
const SALT_BYTES_MAX = 1_024;

interface Refusal {
  readonly errorCode: ErrorCode;
  readonly errorMessage: string | null;
}

export const alterUserScramCredentials: ApiHandler<
  AlterUserScramCredentialsRequest,
  AlterUserScramCredentialsResponseInit
> = {
  key: 51,
  versionMin: 0,
  versionMax: 0,

  async handle({ broker, connection }, request) {
    if (!connection.access.mayOnCluster("ALTER")) {
      return this.fail(request, ErrorCode.CLUSTER_AUTHORIZATION_FAILED);
    }
    const planned = plan(request, broker.credentials);
    const results = await Promise.all(
      [...planned].map(async ([user, step]): Promise<Result> => {
        const outcome = "errorCode" in step ? step : await carryOut(broker, step);
        return { user, ...outcome };
      }),
    );
    return { throttleTimeMs: 0, results };
  },

  fail(request, errorCode) {
    const users = new Set([...request.deletions, ...request.upsertions].map(({ name }) => name));
    return { throttleTimeMs: 0, results: [...users].map((user) => ({ user, errorCode, errorMessage: null })) };
  },
};

/** What is to be done for each user, or why it is not. The first thing that is wrong with a user is what is said. */
function plan(
  { deletions, upsertions }: AlterUserScramCredentialsRequest,
  credentials: Credentials,
): ReadonlyMap<string, ScramAlteration | Refusal> {
  const planned = new Map<string, ScramAlteration | Refusal>();
  const add = (user: string, step: ScramAlteration | Refusal): void => {
    const before = planned.get(user);
    if (before !== undefined && "errorCode" in before) return;
    const isTwice = before !== undefined;
    const twice = "A user credential cannot be altered twice in the same request";
    planned.set(user, isTwice ? refuse("DUPLICATE_RESOURCE", twice) : step);
  };
  for (const deletion of deletions) add(deletion.name, deletionStep(deletion, credentials));
  for (const upsertion of upsertions) add(upsertion.name, upsertionStep(upsertion));
  return planned;
}

function deletionStep({ name, mechanism }: Deletion, credentials: Credentials): ScramAlteration | Refusal {
  if (name === "") return refuse("UNACCEPTABLE_CREDENTIAL", "Username must not be empty");
  const known = scramMechanismOf.get(mechanism);
  if (known === undefined) return refuse("UNSUPPORTED_SASL_MECHANISM", "Unknown SCRAM mechanism");
  if (credentials.scram(name)?.has(known) !== true) {
    return refuse("RESOURCE_NOT_FOUND", "Attempt to delete a user credential that does not exist");
  }
  return { user: name, upserts: new Map(), deletions: new Set([known]) };
}

function upsertionStep({ name, mechanism, iterations, salt, saltedPassword }: Upsertion): ScramAlteration | Refusal {
  if (name === "") return refuse("UNACCEPTABLE_CREDENTIAL", "Username must not be empty");
  const known = scramMechanismOf.get(mechanism);
  if (known === undefined) return refuse("UNSUPPORTED_SASL_MECHANISM", "Unknown SCRAM mechanism");
  if (iterations < SCRAM_ITERATIONS_MIN) return refuse("UNACCEPTABLE_CREDENTIAL", "Too few iterations");
  if (iterations > SCRAM_ITERATIONS_MAX) return refuse("UNACCEPTABLE_CREDENTIAL", "Too many iterations");
  if (salt.length === 0 || salt.length > SALT_BYTES_MAX) {
    return refuse("UNACCEPTABLE_CREDENTIAL", `Salt must have 1 to ${SALT_BYTES_MAX} bytes`);
  }
  if (saltedPassword.length === 0) return refuse("UNACCEPTABLE_CREDENTIAL", "Salted password must not be empty");
  const credential = credentialOfSalted(known, saltedPassword, Buffer.from(salt), iterations);
  return { user: name, upserts: new Map([[known, credential]]), deletions: new Set() };
}

async function carryOut(broker: Broker, alteration: ScramAlteration): Promise<Refusal> {
  if (broker.userAdmin === undefined) {
    return refuse("INVALID_REQUEST", "users cannot be changed through this broker");
  }
  try {
    const refusal = await broker.userAdmin.alterScram(alteration);
    if (refusal === undefined) return { errorCode: ErrorCode.NONE, errorMessage: null };
    return { errorCode: refusal.errorCode, errorMessage: refusal.message };
  } catch (error) {
    if (!(error instanceof KaasError)) throw error;
    broker.log.error({ err: error, user: alteration.user }, "a user's credentials could not be changed");
    return refuse("KAFKA_STORAGE_ERROR", error.message);
  }
}

function refuse(name: ErrorName, errorMessage: string): Refusal {
  return { errorCode: ErrorCode[name], errorMessage };
}
