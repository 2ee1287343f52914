import { readFile } from "node:fs/promises";
import type { SecretFiles } from "@kaas/core";

/** Largest file that certificates are looked for in. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;
const NEWLINE = Buffer.from("\n");
/** What Kubernetes calls certificate and key in a Secret for TLS. */
const SECRET_NAMES: readonly string[] = ["tls.crt", "tls.key"];

/**
 * The certificates and keys that the configuration names, from the machine's file system. A directory, such as a Secret
 * is mounted as, stands for its `tls.crt` and `tls.key` together.
 */
export const secretFiles: SecretFiles = {
  async read(path) {
    try {
      return await contentOf(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EISDIR") throw error;
      const parts = await Promise.all(SECRET_NAMES.map((name) => contentOf(`${path}/${name}`)));
      return Buffer.concat(parts.flatMap((part) => [part, NEWLINE]));
    }
  },
};

async function contentOf(path: string): Promise<Buffer> {
  const content = await readFile(path);
  if (content.length > FILE_BYTES_MAX)
    throw new Error(`${path} has ${content.length} bytes, too many for certificates`);
  return content;
}
