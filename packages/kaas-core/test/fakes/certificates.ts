import "reflect-metadata";
import type { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 86_400_000;

/** A certificate and its key, as PEM. */
export interface Minted {
  readonly certificate: string;
  readonly key: string;
}

/** An authority that signs certificates for a test. */
export interface TestAuthority {
  /** Its own certificate, as PEM. */
  readonly certificate: string;
  /**
   * A certificate for 127.0.0.1 and localhost, good for servers and clients.
   *
   * @param name such as `C=DE, O=Example, CN=alice`
   */
  issue(name: string, options?: { readonly expired?: boolean }): Promise<Minted>;
}

let serial = 0;

/** Makes an authority. */
export async function testAuthority(name = "CN=Test CA"): Promise<TestAuthority> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: nextSerial(),
    name,
    ...lifetime(false),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return {
    certificate: authority.toString("pem"),
    async issue(subject, { expired = false } = {}) {
      const own = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: nextSerial(),
        subject,
        issuer: authority.subject,
        ...lifetime(expired),
        signingKey: keys.privateKey,
        publicKey: own.publicKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new x509.BasicConstraintsExtension(false),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
          new x509.SubjectAlternativeNameExtension([
            { type: "dns", value: "localhost" },
            { type: "ip", value: "127.0.0.1" },
          ]),
        ],
      });
      return { certificate: certificate.toString("pem"), key: await pemOf(own.privateKey) };
    },
  };
}

function lifetime(expired: boolean): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - 2 * DAY_MS), notAfter: new Date(expired ? now - DAY_MS : now + DAY_MS) };
}

function nextSerial(): string {
  return (++serial).toString(16).padStart(2, "0");
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const base64 = Buffer.from(await crypto.subtle.exportKey("pkcs8", key)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;
}
