import type { Finding } from "@kaas/storage";
import type { Style } from "./style.js";

/** Findings for people: what, where, what it means, what to do. */
export function renderFindings(findings: readonly Finding[], style: Style): string {
  return findings
    .map(({ severity, code, file, message, meaning, advice }) => {
      const head = `${style.severity(severity, severity)} ${style.bold(file)}`;
      return `${head}\n    ${message}\n    ${meaning}\n    ${style.dim(`→ ${advice}`)} ${style.dim(`(${code})`)}\n`;
    })
    .join("");
}

/** How many of each severity; nothing where there are none. */
export function countFindings(findings: readonly Finding[]): string {
  const counts = (["error", "warning", "note"] as const).map((severity) => {
    const count = findings.filter((one) => one.severity === severity).length;
    return count === 0 ? "" : `${count} ${severity}${count === 1 ? "" : "s"}`;
  });
  return counts.filter((text) => text !== "").join(", ");
}
