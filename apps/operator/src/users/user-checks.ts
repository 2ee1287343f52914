import type { Refusal } from "../reconciling/steps.js";

/** Who had a password keeps it: what is missing may be on its way, and brokers do not lock anybody out for that. */
export const missingSecret = (name: string, key: string, isThere: boolean, hadPassword: boolean): Refusal => {
  const until = hadPassword ? "the user logs in by the password that it had until" : "the user cannot log in until";
  return {
    reason: "SecretMissing",
    message: isThere
      ? `Secret ${name} has no key ${key}, or nothing in it; ${until} it has`
      : `there is no Secret ${name}; ${until} there is one, with the password under the key ${key}`,
  };
};

/** What a client could not send, or would not, as the line break that an editor or `echo` has added. */
export const malformedPassword = (name: string, key: string): Refusal => ({
  reason: "PasswordMalformed",
  message: `what Secret ${name} has under the key ${key} is no password: it has a line break, another control character, or bytes that are no UTF-8. Write it without, as by printf '%s'; nothing was changed`,
});

export const foreignSecret = (name: string): Refusal => ({
  reason: "SecretTaken",
  message: `Secret ${name} was not made for this user, and is left alone; delete it, or rename the KafkaUser`,
});

export const foreignCertificate = (name: string): Refusal => ({
  reason: "CertificateTaken",
  message: `Certificate ${name} was not made for this user, and is left alone; delete it, or rename the KafkaUser`,
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
