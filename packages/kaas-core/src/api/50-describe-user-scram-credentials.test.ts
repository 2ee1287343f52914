import { expect, test } from "vitest";
import { ErrorCode } from "../errors/error-codes.js";
import { describeUserScramCredentials } from "./50-describe-user-scram-credentials.js";

const known = new Map([["SCRAM-SHA-512", { iterations: 4_096 }]]);
const context = {
  broker: {
    credentials: { users: () => ["alice"], scram: (user: string) => (user === "alice" ? known : undefined) },
  },
  connection: { access: { mayOnCluster: () => true } },
} as never;

function describe(names: readonly string[]) {
  const request = { users: names.map((name) => ({ name })) } as never;
  return describeUserScramCredentials.handle(context, request) as {
    readonly results: readonly { readonly user: string; readonly errorCode: ErrorCode }[];
  };
}

test("who is asked for twice is refused, once", () => {
  const { results } = describe(["alice", "bob", "alice", "alice"]);
  expect(results.map(({ user, errorCode }) => [user, errorCode])).toEqual([
    ["alice", ErrorCode.DUPLICATE_RESOURCE],
    ["bob", ErrorCode.RESOURCE_NOT_FOUND],
  ]);
});

test("nobody by name is everybody", () => {
  expect(describe([]).results).toMatchObject([
    { user: "alice", errorCode: ErrorCode.NONE, credentialInfos: [{ mechanism: 2, iterations: 4_096 }] },
  ]);
});
