import { getCiphers } from "node:tls";

/**
 * OpenSSL's name of a cipher suite: `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` is `ECDHE-RSA-AES128-GCM-SHA256` there.
 * Those of TLS 1.3 and OpenSSL's own names stay as they are. Undefined for what this Node does not have.
 */
export function openSslCipher(name: string): string | undefined {
  const candidate = /^TLS_.+_WITH_/.test(name) ? converted(name) : name;
  return getCiphers().includes(candidate.toLowerCase()) ? candidate : undefined;
}

function converted(name: string): string {
  const [exchange = "", cipher = ""] = name.slice("TLS_".length).split("_WITH_");
  const short = cipher
    .replace(/^AES_(128|256)_/, "AES$1_")
    .replace(/_CBC_/, "_") // what has no other mode has this one
    .replace(/^CHACHA20_POLY1305_SHA256$/, "CHACHA20_POLY1305")
    .replaceAll("_", "-");
  return exchange === "RSA" ? short : `${exchange.replaceAll("_", "-")}-${short}`;
}
