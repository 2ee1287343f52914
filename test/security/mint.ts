// Certificates for a suite: mint.ts DIR writes ca.pem, broker.pem (key and certificate), alice.pem, and those of an
// authority that the broker does not know, stranger.pem.
import { writeFileSync } from "node:fs";
import { testAuthority } from "../../packages/kaas-core/test/fakes/certificates.js";

const [directory = "."] = process.argv.slice(2);
const authority = await testAuthority();
const foreign = await testAuthority("CN=Foreign CA");
const write = (name: string, content: string): void => writeFileSync(`${directory}/${name}`, content, { mode: 0o600 });

write("ca.pem", authority.certificate);
for (const [name, { certificate, key }] of [
  ["broker", await authority.issue("CN=broker")],
  ["broker-renewed", await authority.issue("CN=broker renewed")],
  ["alice", await authority.issue("C=DE, O=Example, CN=alice")],
  ["stranger", await foreign.issue("CN=stranger")],
] as const) {
  write(`${name}.pem`, `${certificate}\n${key}`);
  write(`${name}-certificate.pem`, certificate);
  write(`${name}-key.pem`, key);
}
