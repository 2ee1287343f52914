import { expect, test } from "vitest";
import { parseAddresses, shownAddress } from "./broker-address.js";

test("addresses are hosts with ports, several with commas", () => {
  const addresses = parseAddresses("kaas-0:9092, 127.0.0.1:1,[::1]:65535,");
  expect(addresses).toEqual([
    { host: "kaas-0", port: 9092 },
    { host: "127.0.0.1", port: 1 },
    { host: "::1", port: 65_535 },
  ]);
  expect(addresses.map(shownAddress)).toEqual(["kaas-0:9092", "127.0.0.1:1", "[::1]:65535"]);
});

test.for(["", ",", "kaas-0", "kaas-0:", "kaas-0:0", "kaas-0:65536", ":9092", "::1:9092", "[::1]", "PLAINTEXT://a:1"])(
  "%s is none",
  (text) => {
    expect(() => parseAddresses(text)).toThrow(/HOST:PORT/);
  },
);
