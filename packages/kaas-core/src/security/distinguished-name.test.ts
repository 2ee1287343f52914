import "reflect-metadata";
import { X509Certificate } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { expect, test } from "vitest";
import { subjectOf } from "./distinguished-name.js";

/** Names in DER, and what Java's X500Principal.getName() makes of them. */
const JAVA: readonly (readonly [string, string])[] = [
  [
    "302e310b30090603550406130244453111300f060355040a130845782c20496e632e310c300a06035504031303612062",
    "CN=a b,O=Ex\\, Inc.,C=DE",
  ],
  ["30193117301506035504030c0e23783d792b7a3c713e3b22775c65", 'CN=\\#x\\=y\\+z\\<q\\>\\;\\"w\\\\e'],
  ["30123110300e06035504031307206c6561642020", "CN=\\ lead\\ \\ "],
  ["3010310e300c06035504030c056123623d63", "CN=a\\#b\\=c"],
  [
    "3022310a300806035504031301783114301206092a864886f70d01090116056140622e63",
    "1.2.840.113549.1.9.1=#16056140622e63,CN=x",
  ],
  ["3022310a3008060355040a13017a3114300806035504031301783008060355040b130179", "CN=x+OU=y,O=z"],
  [
    "302e31133011060a0992268993f22c64011916036f726731173015060a0992268993f22c64011916076578616d706c65",
    "DC=example,DC=org",
  ],
  ["3024310e300c06035504030c05c39c6ec3af31123010060a0992268993f22c64010113027531", "UID=u1,CN=Ünï"],
  [
    "3032310b3009060355040613024445310a3008060355040713016c310b3009060355040813027374310a30080603550409130173",
    "STREET=s,ST=st,L=l,C=DE",
  ],
  ["3019310a30080603550403130171310b3009060355040c13024472", "2.5.4.12=#13024472,CN=q"],
];

/** As much of a certificate as stands before and around its subject. */
function certificateOf(name: string): Buffer {
  const sequence = (...parts: Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([0x30, 0x82, content.length >> 8, content.length & 0xff]), content]);
  };
  const empty = Buffer.from("3000", "hex");
  const version = Buffer.from("a003020102", "hex");
  const serial = Buffer.from("020101", "hex");
  return sequence(sequence(version, serial, empty, empty, empty, Buffer.from(name, "hex"), empty));
}

test.each(JAVA)("%s", (der, text) => {
  expect(subjectOf(certificateOf(der))).toBe(text);
});

test("a real certificate", async () => {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "C=DE, O=Example\\, Inc., CN=alice",
    keys,
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
  });
  const { raw } = new X509Certificate(Buffer.from(certificate.rawData));
  expect(subjectOf(raw)).toBe("CN=alice,O=Example\\, Inc.,C=DE");
});

test("what is no certificate is refused, however it ends", () => {
  const whole = certificateOf(JAVA[0]?.[0] ?? "");
  for (let end = 0; end < whole.length; end++) expect(() => subjectOf(whole.subarray(0, end))).toThrow(RangeError);
  expect(() => subjectOf(Buffer.alloc(64))).toThrow(RangeError);
});
