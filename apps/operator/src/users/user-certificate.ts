import type { KafkaCluster, KafkaUser } from "@kaas/operator-api";
import { managedLabels, ownedBy, USER_LABEL } from "../kubernetes/ownership.js";
import type { Certificate } from "../kubernetes/resources.js";

/** Name of the Certificate, and of the Secret that it is kept in. Passwords have another: both may be there for a while. */
export function userCertificateName(user: KafkaUser): string {
  return `${user.metadata.name}-kafka-tls`;
}

/** The certificate of a user of type tls: cert-manager issues it, and keeps it in the user's Secret. */
export function userCertificate(
  user: KafkaUser,
  issuerRef: NonNullable<KafkaCluster["spec"]["clientsCa"]>["issuerRef"],
): Certificate & { readonly spec: object } {
  const { name, namespace } = user.metadata;
  const secretName = userCertificateName(user);
  return {
    apiVersion: "cert-manager.io/v1",
    kind: "Certificate",
    metadata: {
      name: secretName,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...managedLabels },
      ownerReferences: [ownedBy(user)],
    },
    spec: {
      secretName,
      commonName: name,
      usages: ["client auth"],
      // Java reads no other, and takes key and certificates from one file.
      privateKey: { encoding: "PKCS8" },
      additionalOutputFormats: [{ type: "CombinedPEM" }],
      issuerRef,
      // What cert-manager makes does not go with the user by itself.
      secretTemplate: { labels: { ...managedLabels, [USER_LABEL]: name } },
    },
  };
}
