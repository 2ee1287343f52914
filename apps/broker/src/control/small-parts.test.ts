import { KaasError } from "@kaas/core";
import { expect, test } from "vitest";
import { errorToSend, receivedError } from "./control-link.js";
import { leaseIdentity, parseLeaseIdentity } from "./lease-identity.js";
import { PendingCalls } from "./pending-calls.js";

test("a holder of the lease is a process, not only a name", () => {
  const identity = { broker: "kaas-0", incarnation: "x_-Y" };
  expect(parseLeaseIdentity(leaseIdentity(identity))).toEqual(identity);
  for (const foreign of ["kaas-0", "a/b/c", "/b", "a/", ""]) expect(parseLeaseIdentity(foreign)).toBeUndefined();
});

test("errors cross to the other thread with their code", () => {
  const closed = receivedError(errorToSend(new KaasError("KAAS_CLOSED", "it is closed")));
  expect(closed).toBeInstanceOf(KaasError);
  expect(closed).toMatchObject({ code: "KAAS_CLOSED", message: "it is closed" });
  expect(receivedError(errorToSend(new Error("other")))).not.toBeInstanceOf(KaasError);
  expect(receivedError(errorToSend("text")).message).toBe("text");
});

test("calls are answered by number, or all fail when nobody is left to answer", async () => {
  const calls = new PendingCalls<string>();
  const ids: number[] = [];
  const started = [1, 2, 3].map(() => calls.start((id) => void ids.push(id)));
  calls.resolve(ids[1] ?? 0, "second");
  calls.reject(ids[0] ?? 0, new Error("first"));
  calls.resolve(99, "nobody");
  calls.end(new Error("over"));
  await expect(started[0]).rejects.toThrow("first");
  await expect(started[1]).resolves.toBe("second");
  await expect(started[2]).rejects.toThrow("over");
  await expect(calls.start(() => undefined)).rejects.toThrow("over");
});
