import { describe, expect, test } from "vitest";
import { BrokerConfig } from "./broker-config.js";
import { ListenerConfig } from "./listener-config.js";

describe("the configuration of a listener", () => {
  test("is its own where it has one, and that of all listeners elsewhere", () => {
    const config = new BrokerConfig({
      "ssl.client.auth": "requested",
      "connections.max.reauth.ms": "1000",
      "listener.name.ext.ssl.client.auth": "required",
      "listener.name.ext.sasl.enabled.mechanisms": "PLAIN, SCRAM-SHA-512",
      "listener.name.ext.plain.connections.max.reauth.ms": "2000",
      "listener.name.lan.connections.max.reauth.ms": "3000",
    });
    const ext = new ListenerConfig(config, "EXT");
    const lan = new ListenerConfig(config, "LAN");
    expect([ext.text("ssl.client.auth"), lan.text("ssl.client.auth")]).toEqual(["required", "requested"]);
    expect([ext.hasOwn("ssl.client.auth"), lan.hasOwn("ssl.client.auth")]).toEqual([true, false]);
    expect(ext.list("sasl.enabled.mechanisms")).toEqual(["PLAIN", "SCRAM-SHA-512"]);
    expect(lan.list("sasl.enabled.mechanisms")).toEqual(["GSSAPI"]);
    const lifetimes = [ext, lan].flatMap((one) =>
      ["PLAIN", "SCRAM-SHA-512"].map((mechanism) => one.numberOf(mechanism, "connections.max.reauth.ms")),
    );
    expect(lifetimes).toEqual([2000, 1000, 3000, 3000]);
  });

  test.each<[Record<string, string>, RegExp]>([
    [{ "listener.name.x.ssl.client.auth": "maybe" }, /String must be one of/],
    [{ "listener.name.x.ssl.client.aut": "none" }, /Unknown broker config name: listener.name.x.ssl.client.aut/],
    [{ "listener.name.x.ssl.engine.factory.class": "a.B" }, /is not supported by kaas/],
    [{ "listener.name.x.plain.sasl.server.callback.handler.class": "a.B" }, /is not supported by kaas/],
    [{ "listener.name.x.num.partitions": "3" }, /Unknown broker config name/],
    [{ "ssl.keystore.type": "BCFKS" }, /PEM, PKCS12, JKS/],
  ])("%j stops the start", (values, message) => {
    expect(() => new BrokerConfig(values)).toThrow(message);
  });

  test.each([
    ["sasl.jaas.config", /belongs to a listener and a mechanism/],
    ["listener.name.x.sasl.jaas.config", /belongs to a listener and a mechanism/],
    ["listener.name.x.gssapi.sasl.jaas.config", /GSSAPI is not served/],
    ["listener.name.x.oauthbearer.sasl.oauthbearer.jwks.endpoint.url", /OAUTHBEARER is not served/],
    ["sasl.mechanism.inter.broker.protocol", /no clients of each other/],
  ])("%s is taken with a warning", (name, warning) => {
    expect(new BrokerConfig({ [name]: "x" }).warnings).toEqual([expect.stringMatching(warning)]);
  });
});
