import type { ClientQuota, Credentials } from "../../src/ports/credentials.js";
import { noCredentials } from "../../src/security/no-credentials.js";

/** Quotas in memory, that tests set as they like. */
export class FakeQuotas {
  #quotas: readonly ClientQuota[];
  readonly #listeners = new Set<() => void>();

  constructor(...quotas: readonly ClientQuota[]) {
    this.#quotas = quotas;
  }

  get credentials(): Credentials {
    return {
      ...noCredentials,
      quotas: () => this.#quotas,
      onChange: (callback) => {
        this.#listeners.add(callback);
        return () => this.#listeners.delete(callback);
      },
    };
  }

  set(...quotas: readonly ClientQuota[]): void {
    this.#quotas = quotas;
    for (const listener of this.#listeners) listener();
  }
}

/** The windows of quotas by default. */
export const quotaConfig: { number(name: string): number } = {
  number: (name) => (name.endsWith(".num") ? 11 : 1),
};
