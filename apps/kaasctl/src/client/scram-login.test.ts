import { expect, test } from "vitest";
import { ScramLogin } from "./scram-login.js";

// The exchange of RFC 7677, section 3.
const NONCE = "rOprNGfwEbeRWgbNEkqO";
const SERVER_FIRST = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
const CLIENT_FINAL =
  "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
const SERVER_FINAL = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

const login = (user = "user"): ScramLogin => new ScramLogin("SCRAM-SHA-256", user, "pencil", NONCE);

test("the exchange is that of the standard", async () => {
  const scram = login();
  expect(scram.first.toString()).toBe(`n,,n=user,r=${NONCE}`);
  expect((await scram.final(Buffer.from(SERVER_FIRST))).toString()).toBe(CLIENT_FINAL);
  expect(() => scram.verify(Buffer.from(SERVER_FINAL))).not.toThrow();
});

test("names are escaped", () => {
  expect(login("a=b,c").first.toString()).toBe(`n,,n=a=3Db=2Cc,r=${NONCE}`);
});

test.each([
  "",
  "e=unknown-user",
  SERVER_FIRST.replace(NONCE, "another"),
  `r=${NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`,
  SERVER_FIRST.replace("4096", "0"),
  SERVER_FIRST.replace("4096", "99999999"),
  SERVER_FIRST.replace("W22Z", "*"),
])("a first answer %s is refused", async (text) => {
  await expect(login().final(Buffer.from(text))).rejects.toThrow("makes no sense");
});

test.each(["", "v=AAAA", "e=other-error"])("a last answer %s proves nothing", async (text) => {
  const scram = login();
  await scram.final(Buffer.from(SERVER_FIRST));
  expect(() => scram.verify(Buffer.from(text))).toThrow("it cannot prove");
});
