import { KaasError } from "@kaas/core";
import { expect, test } from "vitest";
import { storageFailure } from "./storage-failure.js";

const errno = (code: string) => Object.assign(new Error(`${code}: as the system says it`), { code });

test.each([
  ["ENOSPC", "enlarge the volume"],
  ["EDQUOT", "raise the quota"],
  ["EROFS", "mount it for writing"],
  ["EACCES", "grant it"],
  ["EMFILE", "ulimit -n"],
])("%s is told with what to do", (code, remedy) => {
  const failure = storageFailure("/data cannot be used", errno(code));
  expect(failure.code).toBe("KAAS_STORAGE_FAILED");
  expect(failure.message).toContain(`/data cannot be used: ${code}: as the system says it; `);
  expect(failure.message).toContain(remedy);
});

test("what nothing more is known of is told as it is", () => {
  expect(storageFailure("it failed", errno("ENXIO")).message).toBe("it failed: ENXIO: as the system says it");
  expect(storageFailure("it failed", "so").message).toBe("it failed: so");
  const own = new KaasError("KAAS_VOLUME_LOCKED", "locked");
  expect(storageFailure("it failed", own)).toBe(own);
});
