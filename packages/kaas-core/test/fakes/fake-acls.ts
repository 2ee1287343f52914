import type { AclAdmin, AclBinding, AclChange, AclChangeRefusal, Acls } from "../../src/ports/acls.js";

/** ACLs in memory, that tests set as they like. */
export class FakeAcls implements Acls, AclAdmin {
  #bindings: readonly AclBinding[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(...bindings: readonly AclBinding[]) {
    this.#bindings = bindings;
  }

  bindings(): readonly AclBinding[] {
    return this.#bindings;
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }

  onChange(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  set(...bindings: readonly AclBinding[]): void {
    this.#bindings = bindings;
    for (const listener of this.#listeners) listener();
  }

  changeAcls({ added, removed }: AclChange): Promise<AclChangeRefusal | undefined> {
    const gone = new Set(removed.map((acl) => JSON.stringify(acl)));
    this.set(...this.#bindings.filter((acl) => !gone.has(JSON.stringify(acl))), ...added);
    return Promise.resolve(undefined);
  }
}

/** An ACL that allows everybody to read every topic, but for what the test says otherwise. */
export function acl(parts: Partial<AclBinding> = {}): AclBinding {
  return {
    resourceType: "TOPIC",
    patternType: "LITERAL",
    resourceName: "*",
    principal: "User:*",
    host: "*",
    operation: "READ",
    permission: "ALLOW",
    ...parts,
  };
}
