import { expect, test } from "vitest";
import { FakeCredentials } from "../../../test/fakes/fake-credentials.js";
import { ScramClient } from "../../../test/fakes/scram-client.js";
import type { ScramMechanism } from "../../ports/credentials.js";
import { Decoys } from "./decoys.js";
import { ScramExchange } from "./scram-exchange.js";
import { deriveScramCredential } from "./scram-keys.js";

const random = { uuid: () => "3rfcNHYJY1ZVvWVs7jserve", integer: () => 0 };
const bothMechanisms: readonly ScramMechanism[] = ["SCRAM-SHA-256", "SCRAM-SHA-512"];

async function withAlice(): Promise<FakeCredentials> {
  const credentials = new FakeCredentials();
  await credentials.set("alice", "secret");
  await credentials.set("x=y,z", "secret");
  return credentials;
}

function exchange(credentials: FakeCredentials, mechanism: ScramMechanism = "SCRAM-SHA-256"): ScramExchange {
  return new ScramExchange(mechanism, credentials, new Decoys(credentials), random);
}

function challengeOf(exchange: ScramExchange, first: Buffer): Buffer {
  const step = exchange.step(first);
  if (step.kind !== "challenge") throw new Error(`no challenge: ${JSON.stringify(step)}`);
  return step.message;
}

test.each(bothMechanisms)(
  "a user with the right password is let in by %s, and the broker proves itself",
  async (name) => {
    const credentials = await withAlice();
    for (const user of ["alice", "x=y,z"]) {
      const server = exchange(credentials, name);
      const client = new ScramClient(name, user, "secret");
      const { message, signature } = client.final(challengeOf(server, client.first()));
      expect(server.step(message)).toEqual({ kind: "done", message: Buffer.from(signature), user });
      expect(server.step(message)).toMatchObject({ kind: "failed" });
    }
  },
);

test("the keys are those of RFC 7677", async () => {
  const salt = Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64");
  const credential = await deriveScramCredential("SCRAM-SHA-256", "pencil", salt, 4096);
  const credentials = new FakeCredentials();
  const only = new Map([["SCRAM-SHA-256" as const, credential]]);
  credentials.scram = (user) => (user === "user" ? only : undefined);
  const serverNonce = { ...random, uuid: () => "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0" };
  const server = new ScramExchange("SCRAM-SHA-256", credentials, new Decoys(credentials), serverNonce);
  expect(String(challengeOf(server, Buffer.from("n,,n=user,r=rOprNGfwEbeRWgbNEkqO")))).toBe(
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
  );
  const final =
    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
  expect(server.step(Buffer.from(final))).toEqual({
    kind: "done",
    message: Buffer.from("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="),
    user: "user",
  });
});

test("who does not exist is led through all of it, with a salt that stays, and fails as a wrong password does", async () => {
  const credentials = await withAlice();
  const salts = new Set<string>();
  for (const user of ["alice", "nobody", "nobody", "somebody"]) {
    const server = exchange(credentials);
    const client = new ScramClient("SCRAM-SHA-256", user, "wrong");
    const challenge = challengeOf(server, client.first());
    const [, salt = ""] = /,s=([^,]+),i=4096$/.exec(String(challenge)) ?? [];
    salts.add(salt);
    expect(server.step(client.final(challenge).message).kind).toBe("failed");
  }
  expect(salts.size).toBe(3);
  const lengths = new Set([...salts].map((salt) => Buffer.from(salt, "base64").length));
  expect(lengths).toEqual(new Set([Buffer.from("salt of alice secret").length]));
  const [, known = ""] = [...salts];
  const elsewhere = await withAlice();
  elsewhere.decoySecret = Buffer.alloc(32, 8);
  const other = challengeOf(exchange(elsewhere), new ScramClient("SCRAM-SHA-256", "nobody", "x").first());
  expect(String(other)).not.toContain(known);
});

test("somebody with the keys of another mechanism only does not exist for this one", async () => {
  const credentials = new FakeCredentials();
  await credentials.set("alice", "secret", ["SCRAM-SHA-512"]);
  const server = exchange(credentials);
  const client = new ScramClient("SCRAM-SHA-256", "alice", "secret");
  expect(server.step(client.final(challengeOf(server, client.first())).message).kind).toBe("failed");
});

test.each<[string, RegExp]>([
  ["", /malformed/],
  ["n,,", /malformed/],
  ["n,,n=alice", /malformed/],
  ["n,,n=,r=abc", /malformed/],
  ["n,,n=al,ice,r=abc", /malformed/],
  ["n,,n=al=ice,r=abc", /malformed/],
  ["n,,n=alice,r=", /malformed/],
  ["n,,n=alice,r=a\u00e4c", /malformed/],
  ["n,,m=x,n=alice,r=abc", /malformed/],
  ["n,a=bob,n=alice,r=abc", /authorization id/],
  ["y,,n=alice,r=abc", /channel binding/],
  ["p=tls-unique,,n=alice,r=abc", /channel binding/],
  ["n,,n=alice,r=abc,tokenauth=true", /delegation tokens/],
  [`n,,n=${"x".repeat(9000)},r=abc`, /too long/],
])("the first message %j is refused", async (first, reason) => {
  const step = exchange(await withAlice()).step(Buffer.from(first));
  expect(step).toMatchObject({ kind: "failed", reason: expect.stringMatching(reason) });
});

test("a first message that is no UTF-8 is refused", async () => {
  const step = exchange(await withAlice()).step(Buffer.from("6e2c2c6e3dff2c723d61", "hex"));
  expect(step).toMatchObject({ kind: "failed", reason: expect.stringMatching(/no text/) });
});

test("the user as its own authorization id is no other one", async () => {
  const server = exchange(await withAlice());
  const client = new ScramClient("SCRAM-SHA-256", "alice", "secret", "abc", "n,a=alice,");
  expect(server.step(client.final(challengeOf(server, client.first())).message).kind).toBe("done");
});

test.each<[string, { nonce?: string; binding?: string }, RegExp]>([
  ["another nonce", { nonce: "rOprNGfwEbeRWgbNEkqO" }, /nonce/],
  ["a nonce with more behind it", { nonce: "rOprNGfwEbeRWgbNEkqO3rfcNHYJY1ZVvWVs7jserveX" }, /nonce/],
  ["another channel binding", { binding: "eSws" }, /channel binding/],
])("a last message with %s is refused", async (_what, bend, reason) => {
  const server = exchange(await withAlice());
  const client = new ScramClient("SCRAM-SHA-256", "alice", "secret");
  const step = server.step(client.final(challengeOf(server, client.first()), bend).message);
  expect(step).toMatchObject({ kind: "failed", reason: expect.stringMatching(reason) });
});

test("the client's nonce may stand before the broker's once more, as in librdkafka before 2.6.1", async () => {
  const server = exchange(await withAlice());
  const client = new ScramClient("SCRAM-SHA-256", "alice", "secret", "abc");
  const { message } = client.final(challengeOf(server, client.first()), { nonce: "abcabc3rfcNHYJY1ZVvWVs7jserve" });
  expect(server.step(message).kind).toBe("done");
});

test("last messages that are none are refused, and a proof that is cut off", async () => {
  const credentials = await withAlice();
  const client = new ScramClient("SCRAM-SHA-256", "alice", "secret");
  for (const bend of [
    () => "",
    (text: string) => text.replace(/,p=.*/, ""),
    (text: string) => text.replace(/,p=.*/, ",p="),
    (text: string) => text.replace(/,p=.*/, ",p=AAAA"),
    (text: string) => text.replace("c=biws", "c=biws,x=y"),
    (text: string) => `${text},x=y`,
  ]) {
    const server = exchange(credentials);
    const { message } = client.final(challengeOf(server, client.first()));
    expect(server.step(Buffer.from(bend(String(message)))).kind).toBe("failed");
  }
});

test("fewer iterations than are safe are refused, whoever wrote them", async () => {
  const credentials = await withAlice();
  const weak = await deriveScramCredential("SCRAM-SHA-256", "secret", Buffer.from("salt"), 1000);
  credentials.scram = () => new Map([["SCRAM-SHA-256", weak]]);
  const step = exchange(credentials).step(Buffer.from("n,,n=alice,r=abc"));
  expect(step).toMatchObject({ kind: "failed", reason: expect.stringMatching(/iterations/) });
});
