/** The part of cert-manager that an operator sees: its resource, and what it does about it. It is not here itself. */
import { CERTIFICATES } from "../../apps/operator/src/kubernetes/resources.js";
import type { TestAuthority } from "../../packages/kaas-core/test/fakes/certificates.js";
import { until } from "../lib/until.js";
import { SECRETS } from "../operator/resource-rows.js";
import type { Site } from "../operator/site.js";

export { CERTIFICATES };

/** Tells the API server of Certificates, as far as the operator writes them. */
export async function defineCertificates({ plane, admin, namespace }: Site): Promise<void> {
  const { group, version, kind, plural } = CERTIFICATES;
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: "certificate" },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: anything },
          subresources: { status: {} },
        },
      ],
    },
  };
  await plane.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", JSON.stringify(definition));
  await until("Certificates are served", () =>
    admin.list(CERTIFICATES, { namespace }).then(
      () => true,
      () => false,
    ),
  );
}

/** Issues what a Certificate asks for, and says so. */
export async function issueCertificate(site: Site, name: string, authority: TestAuthority): Promise<void> {
  const certificate = (await site.find(CERTIFICATES, name)) as { spec?: Readonly<Record<string, unknown>> } | undefined;
  const { commonName, secretName, privateKey } = certificate?.spec ?? {};
  if (JSON.stringify(privateKey) !== '{"encoding":"PKCS8"}') throw new Error(`${name} asks for no key that Java reads`);
  const minted = await authority.issue(`CN=${commonName}`);
  const texts = {
    "tls.crt": minted.certificate,
    "tls.key": minted.key,
    "ca.crt": authority.certificate,
    "tls-combined.pem": `${minted.key}\n${minted.certificate}`,
  };
  const data = Object.fromEntries(Object.entries(texts).map(([k, text]) => [k, Buffer.from(text).toString("base64")]));
  const metadata = { name: secretName, namespace: site.namespace };
  await site.admin.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata, data } as never);
  const ready = { type: "Ready", status: "True", reason: "Ready", lastTransitionTime: new Date().toISOString() };
  const object = { status: { conditions: [ready] } };
  const ref = { name, namespace: site.namespace };
  await site.admin.patch(CERTIFICATES, ref, { type: "merge", object }, { subresource: "status" });
}
