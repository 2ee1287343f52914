import { BrokerConfig, KaasError, type ListenerOptions } from "@kaas/core";
import { describe, expect, test } from "vitest";
import { listenersOf } from "./listeners.js";

function listeners(values: Record<string, string>): readonly ListenerOptions[] {
  return listenersOf(new BrokerConfig(values), () => "machine.example");
}

describe("listeners", () => {
  test("the default is this machine only", () => {
    expect(listeners({})).toEqual([{ name: "PLAINTEXT", host: "127.0.0.1", port: 9092, protocol: "PLAINTEXT" }]);
  });

  test("IPv6, names and port 0", () => {
    const values = { listeners: "PLAINTEXT://[::1]:9092, Other://localhost:0" };
    expect(listeners({ ...values, "listener.security.protocol.map": "OTHER:PLAINTEXT" })).toEqual([
      { name: "PLAINTEXT", host: "::1", port: 9092, protocol: "PLAINTEXT" },
      { name: "OTHER", host: "localhost", port: 0, protocol: "PLAINTEXT" },
    ]);
  });

  test("each has its own advertised address", () => {
    const values = {
      listeners: "IN://:9092,OUT://0.0.0.0:9093,PLAINTEXT://127.0.0.1:0",
      "listener.security.protocol.map": "IN:SASL_PLAINTEXT,OUT:SASL_SSL",
      "advertised.listeners": "OUT://kafka.example:30000,PLAINTEXT://localhost:0",
    };
    expect(listeners(values)).toEqual([
      { name: "IN", host: "", port: 9092, advertisedHost: "machine.example", protocol: "SASL_PLAINTEXT" },
      {
        name: "OUT",
        host: "0.0.0.0",
        port: 9093,
        advertisedHost: "kafka.example",
        advertisedPort: 30000,
        protocol: "SASL_SSL",
      },
      {
        name: "PLAINTEXT",
        host: "127.0.0.1",
        port: 0,
        advertisedHost: "localhost",
        advertisedPort: undefined,
        protocol: "PLAINTEXT",
      },
    ]);
  });

  test("those for controllers are not opened", () => {
    const values = {
      listeners: "PLAINTEXT://127.0.0.1:9092,CONTROLLER://:9093",
      "controller.listener.names": "CONTROLLER",
      "advertised.listeners": "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
    };
    expect(listeners(values).map(({ name }) => name)).toEqual(["PLAINTEXT"]);
    expect(() => listeners({ ...values, listeners: "CONTROLLER://:9093" })).toThrow(/at least one listener/);
  });

  test.each<[Record<string, string>, RegExp]>([
    [{ listeners: "127.0.0.1:9092" }, /127\.0\.0\.1:9092 is not NAME:\/\/HOST:PORT/],
    [{ listeners: "PLAINTEXT://::1:9092" }, /is not NAME:\/\/HOST:PORT/],
    [{ listeners: "PLAINTEXT://h:99999" }, /is not NAME:\/\/HOST:PORT/],
    [{ listeners: "PLAINTEXT://h" }, /is not NAME:\/\/HOST:PORT/],
    [{ listeners: "" }, /at least one listener/],
    [{ listeners: "PLAINTEXT://a:1,plaintext://b:2" }, /two listeners have the name PLAINTEXT/],
    [
      { listeners: "PLAINTEXT://a:1,B://a:1", "listener.security.protocol.map": "B:PLAINTEXT" },
      /PLAINTEXT:\/\/a:1 and B:\/\/a:1 have the same port/,
    ],
    [{ listeners: "PLAINTEXT://a:1,B://:1", "listener.security.protocol.map": "B:PLAINTEXT" }, /the same port/],
    [{ listeners: "EXTERNAL://a:1" }, /set listener\.security\.protocol\.map=EXTERNAL:PLAINTEXT/],
    [{ "listener.security.protocol.map": "A:TLS" }, /A:TLS is not NAME:PROTOCOL/],
    [{ "listener.security.protocol.map": "A" }, /A is not NAME:PROTOCOL/],
    [{ "advertised.listeners": "OTHER://a:1" }, /there is no listener OTHER/],
    [{ "advertised.listeners": "PLAINTEXT://a:1,PLAINTEXT://b:1" }, /two addresses are of the same listener/],
    [{ "listener.name.palintext.ssl.client.auth": "required" }, /no listener palintext; .*: plaintext$/],
    [{ "listener.name.PLAINTEXT.ssl.client.auth": "required" }, /no listener PLAINTEXT; .* lower case: plaintext$/],
    [{ "advertised.listeners": "PLAINTEXT://0.0.0.0:1" }, /is no address that clients could connect to/],
    [{ "advertised.listeners": "PLAINTEXT://:1" }, /is no address that clients could connect to/],
  ])("%j is refused", (values, message) => {
    expect(() => listeners(values)).toThrow(KaasError);
    expect(() => listeners(values)).toThrow(message);
  });

  test("settings of one listener, and of controllers', which is not opened", () => {
    const values = {
      "listener.name.plaintext.ssl.client.auth": "none",
      "listener.name.quorum.ssl.client.auth": "none",
    };
    expect(listeners({ ...values, "controller.listener.names": "QUORUM" })).toHaveLength(1);
  });

  test("the same port on different addresses, and several free ones", () => {
    const map = { "listener.security.protocol.map": "B:PLAINTEXT" };
    expect(listeners({ listeners: "PLAINTEXT://127.0.0.1:1,B://127.0.0.2:1", ...map })).toHaveLength(2);
    expect(listeners({ listeners: "PLAINTEXT://:0,B://:0", ...map })).toHaveLength(2);
  });
});
