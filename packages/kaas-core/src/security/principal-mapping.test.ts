import { describe, expect, test } from "vitest";
import { parsePrincipalMapping } from "./principal-mapping.js";

const DN = "CN=Kafka-Client,OU=Dev\\, Ops,O=Example,C=DE";

describe("ssl.principal.mapping.rules", () => {
  test.each<[string, string | undefined]>([
    ["DEFAULT", DN],
    ["", DN],
    ["RULE:^CN=(.*?),OU=.*$/$1/", "Kafka-Client"],
    ["RULE:^CN=(.*?),OU=.*$/$1/L", "kafka-client"],
    ["RULE:^CN=(.*?),(.*)$/$1@x/U, DEFAULT", "KAFKA-CLIENT@X"],
    ["RULE:CN=(.*?),.*O=(.*?),.*/$2-$1/", "Example-Kafka-Client"],
    ["RULE:^CN=other,.*$/x/, RULE:^.*C=(..)$/$1/L", "de"],
    ["RULE:^CN=(.*?)$/$1/, DEFAULT", "Kafka-Client,OU=Dev\\, Ops,O=Example,C=DE"],
    ["RULE:^(?:OU=.*)$/x/", undefined],
    ["RULE:^CN=(.*?),OU=.*$/a\\/b\\$$1/", "a/b$Kafka-Client"],
    ["RULE:.*O=(\\w+),.*/$1/", "Example"],
  ])("%s", (rules, name) => {
    expect(parsePrincipalMapping(rules)(DN)).toBe(name);
  });

  test.each([
    ["RULE:a/b", /cannot be read from "RULE:a\/b" on/],
    ["DEFAULT RULE:a/b/", /cannot be read/],
    ["RULE:(/x/", /no regular expression/],
    ["RULE:a/b/X", /cannot be read/],
  ])("%s is refused", (rules, message) => {
    expect(() => parsePrincipalMapping(rules)).toThrow(message);
  });

  test("a pattern that goes astray is stopped, and the next rule decides", () => {
    const map = parsePrincipalMapping("RULE:^CN=((a+)+)$/$1/, DEFAULT");
    const subject = `CN=${"a".repeat(64)}!`;
    expect(map(subject)).toBe(subject);
    expect(map("CN=aaa")).toBe("aaa");
  });
});
