import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../lib/until.js";
import { RESOURCES } from "../operator/site.js";
import { CERTIFICATES, issueCertificate } from "./cert-manager.js";
import type { Stage } from "./stage.js";
import { expect, NOT_THIS_TOPIC, PARTITIONS, READY } from "./user-rows.js";

const CERTIFIED = "scanner";
const SECRET = `${CERTIFIED}-kafka-tls`;
const NOT_THIS_AUTHORITY = /^SslAuthenticationException/;

/** Clients learn whom to trust from Secrets that have no private key of a broker in them. */
export async function authorityIsPublished(stage: Stage): Promise<string> {
  const { site, authority } = stage;
  for (const name of ["kaas-cluster-ca-cert", "admin-kafka-credentials"]) {
    await until(`${name} has it`, async () => (await stage.textsOf(name))["ca.crt"] === authority);
  }
  const published = Object.keys(await stage.textsOf("kaas-cluster-ca-cert"));
  expect(published.join() === "ca.crt", `with it is published ${published.join()}`);
  await site.ready(RESOURCES.cluster, "kaas", READY);
  return "as ca.crt, alone";
}

/** A KafkaUser of type tls is let in with the certificate of its Secret, and nobody by one of another authority. */
export async function certified(stage: Stage): Promise<string> {
  const { site, java, clients } = stage;
  await site.create(RESOURCES.user, CERTIFIED, {
    authentication: { type: "tls" },
    authorization: {
      type: "simple",
      acls: [
        { resource: { type: "topic", name: "orders" }, operations: ["Read", "Write"] },
        { resource: { type: "group", name: CERTIFIED }, operations: ["Read"] },
      ],
    },
  });
  await site.ready(RESOURCES.user, CERTIFIED, /^False CertificatePending/);
  const bootstrapServers = stage.mutualServers;
  await issueCertificate(site, SECRET, clients);
  await site.ready(RESOURCES.user, CERTIFIED, READY);
  const login = { bootstrapServers, jaasConfig: await keystoreOf(stage) };
  await stage.shownByAll(/^orders$/, "topics", login);
  await java.ask("send", login, "orders", -1, PARTITIONS, 100);
  const count = await java.ask("read", login, "orders", CERTIFIED, PARTITIONS);
  expect(Number(count) >= PARTITIONS, `${count} records were read`);
  await java.refused(NOT_THIS_TOPIC, "send", login, "secrets", -1, 1, 10);
  // The brokers' own authority has signed for her.
  await java.refused(NOT_THIS_AUTHORITY, "topics", { bootstrapServers, jaasConfig: `PEM ${stage.aliceFile}` });
  await site.remove(RESOURCES.user, CERTIFIED);
  await until("its Certificate is gone", async () => (await site.find(CERTIFICATES, SECRET)) === undefined);
  await stage.shownByAll(/^$/, "topics", login);
  await java.refused(NOT_THIS_TOPIC, "send", login, "orders", -1, 1, 10);
  return "a certificate of the clients' authority";
}

/** The Secret, as a client has it mounted. */
async function keystoreOf(stage: Stage): Promise<string> {
  const path = join(stage.site.volume, "tls-combined.pem");
  writeFileSync(path, (await stage.textsOf(SECRET))["tls-combined.pem"] ?? "", { mode: 0o600 });
  return `PEM ${path}`;
}
