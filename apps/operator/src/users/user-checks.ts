import type { Refusal } from "../reconciling/steps.js";

export const missingSecret = (name: string, key: string, isThere: boolean): Refusal => ({
  reason: "SecretMissing",
  message: isThere
    ? `Secret ${name} has no key ${key}, or nothing in it; the user cannot log in until it has`
    : `there is no Secret ${name}; the user cannot log in until there is one, with the password under the key ${key}`,
});

export const foreignSecret = (name: string): Refusal => ({
  reason: "SecretTaken",
  message: `Secret ${name} was not made for this user, and is left alone; delete it, or rename the KafkaUser`,
});

/** The reason of a user that waits for cert-manager. */
export const CERTIFICATE_PENDING = "CertificatePending";

export const certificatePending = (why: string): Refusal => ({
  reason: CERTIFICATE_PENDING,
  message: `${why}; the user cannot log in before it is`,
});

export const noClientsCa: Refusal = {
  reason: "NoClientsCa",
  message:
    "spec.authentication.type tls needs spec.clientsCa of the KafkaCluster, which says who signs certificates of users; set it, or use tls-external",
};

export const noCertManager: Refusal = {
  reason: "CertManagerMissing",
  message:
    "spec.authentication.type tls needs cert-manager, which this Kubernetes cluster has not got; install it, or use tls-external",
};
