import { expect, test } from "vitest";
import { FakeCredentials } from "../../../test/fakes/fake-credentials.js";
import { Decoys } from "./decoys.js";
import { plainUsersOfJaas } from "./jaas.js";
import { PlainExchange } from "./plain-exchange.js";
import { PlainPasswords } from "./plain-passwords.js";

const NAME = "listener.name.x.plain.sasl.jaas.config";
const MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule";

async function setUp() {
  const credentials = new FakeCredentials();
  await credentials.set("alice", "secret");
  await credentials.set("sha512", "secret", ["SCRAM-SHA-512"]);
  const passwords = new PlainPasswords(credentials, new Decoys(credentials), Buffer.alloc(32, 1));
  const configured = new Map([["bob", "hunter2"]]);
  const login = (token: string) => new PlainExchange(passwords, configured).step(Buffer.from(token));
  return { credentials, passwords, login };
}

test("a password is checked against SCRAM credentials, or against the configuration", async () => {
  const { login } = await setUp();
  expect(await login("\0alice\0secret")).toEqual({ kind: "done", message: Buffer.alloc(0), user: "alice" });
  expect(await login("alice\0alice\0secret")).toMatchObject({ kind: "done", user: "alice" });
  expect(await login("\0sha512\0secret")).toMatchObject({ kind: "done", user: "sha512" });
  expect(await login("\0bob\0hunter2")).toMatchObject({ kind: "done", user: "bob" });
});

test.each([
  "",
  "alice",
  "\0alice",
  "\0alice\0",
  "\0\0secret",
  "\0alice\0secret\0",
  "\0alice\0wrong",
  "\0nobody\0secret",
  "\0bob\0secret",
  "\0bob\0",
  "admin\0alice\0secret",
  `\0alice\0${"x".repeat(10_000)}`,
])("%j is refused", async (token) => {
  const { login } = await setUp();
  expect(await login(token)).toMatchObject({ kind: "failed" });
});

test("what was right is remembered until the password changes: a flood of it is not checked again", async () => {
  const { credentials, passwords } = await setUp();
  expect(await passwords.check("alice", "secret")).toBe("right");
  const again = await Promise.all(Array.from({ length: 1_100 }, () => passwords.check("alice", "secret")));
  expect(new Set(again)).toEqual(new Set(["right"]));
  await credentials.set("alice", "changed");
  expect(await passwords.check("alice", "secret")).toBe("wrong");
  expect(await passwords.check("alice", "changed")).toBe("right");
});

test("a flood of logins is worked off, and beyond a bound refused at once", async () => {
  const { passwords } = await setUp();
  const checks = Array.from({ length: 1_100 }, (_, index) => passwords.check("alice", index % 2 ? "secret" : "no"));
  const verdicts = await Promise.all(checks);
  expect(verdicts.filter((verdict) => verdict === "busy")).toHaveLength(98);
  expect(new Set(verdicts.slice(0, 1_002))).toEqual(new Set(["right", "wrong"]));
  expect(await passwords.check("alice", "secret")).toBe("right");
});

test.each<[string, Record<string, string>]>([
  [`${MODULE} required user_alice="a b" user_bob='c';`, { alice: "a b", bob: "c" }],
  [`${MODULE} required\n username="admin"\n password="p"\n user_admin="p\\"q\\\\";`, { admin: 'p"q\\' }],
  [`  ${MODULE}   REQUIRED user_x=plain ;  `, { x: "plain" }],
  [`${MODULE} required;`, {}],
])("%s", (text, users) => {
  expect(Object.fromEntries(plainUsersOfJaas(NAME, text))).toEqual(users);
});

test.each<[string, RegExp]>([
  ["", /must begin with/],
  ["com.example.Other required;", /must begin with/],
  [`${MODULE} user_a="b";`, /needs "required"/],
  [`${MODULE} required user_a="b"`, /must end with ";"/],
  [`${MODULE} required user_a="b;`, /quotation mark/],
  [`${MODULE} required user_a b;`, /name=value/],
  [`${MODULE} required user_a="";`, /without a name or a password/],
  [`${MODULE} required user_="x";`, /without a name or a password/],
  [`${MODULE} required a="x"; ${MODULE} required b="y";`, /one login module/],
])("%s is refused without being quoted", (text, message) => {
  expect(() => plainUsersOfJaas(NAME, text)).toThrow(message);
});
