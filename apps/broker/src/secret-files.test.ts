import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { secretFiles } from "./secret-files.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "kaas-secrets-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("a file is what it holds, a directory its tls.crt and tls.key", async () => {
  writeFileSync(join(directory, "a.pem"), "certificate and key");
  expect(String(await secretFiles.read(join(directory, "a.pem")))).toBe("certificate and key");
  const secret = join(directory, "secret");
  mkdirSync(secret);
  writeFileSync(join(secret, "tls.crt"), "certificate");
  await expect(secretFiles.read(secret)).rejects.toThrow(/tls\.key/);
  writeFileSync(join(secret, "tls.key"), "key");
  expect(String(await secretFiles.read(secret))).toBe("certificate\nkey\n");
  await expect(secretFiles.read(join(directory, "none"))).rejects.toThrow(/ENOENT/);
});

test("a file that holds more than certificates is refused", async () => {
  writeFileSync(join(directory, "big"), Buffer.alloc(4 * 1024 * 1024 + 1));
  await expect(secretFiles.read(join(directory, "big"))).rejects.toThrow(/too many for certificates/);
});
