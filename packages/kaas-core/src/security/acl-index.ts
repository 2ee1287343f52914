import type { AclBinding, AclResourceType } from "../ports/acls.js";

/** Stands for every name, principal or host. */
export const WILDCARD = "*";

/**
 * ACLs by the names that they hold for. Looking one up takes as many steps as there are different lengths of prefixes,
 * however many ACLs there are.
 */
export class AclIndex {
  readonly #byType = new Map<AclResourceType, Patterns>();

  add(acl: AclBinding): void {
    const patterns = this.#byType.get(acl.resourceType) ?? new Patterns();
    this.#byType.set(acl.resourceType, patterns);
    patterns.add(acl);
  }

  /** Hands over every ACL that holds for a resource, as lists that are not to be kept. */
  visit(type: AclResourceType, name: string, visitor: (acls: readonly AclBinding[]) => void): void {
    this.#byType.get(type)?.visit(name, visitor);
  }

  /** Whether any ACL holds for a resource. */
  has(type: AclResourceType, name: string): boolean {
    let found = false;
    this.visit(type, name, () => {
      found = true;
    });
    return found;
  }

  /** All ACLs on resources of a type. */
  ofType(type: AclResourceType): readonly AclBinding[] {
    return this.#byType.get(type)?.all ?? [];
  }
}

class Patterns {
  readonly all: AclBinding[] = [];
  readonly #literals = new Map<string, AclBinding[]>();
  readonly #prefixes = new Map<string, AclBinding[]>();
  /** Ascending. */
  #prefixLengths: readonly number[] = [];

  add(acl: AclBinding): void {
    this.all.push(acl);
    const byName = acl.patternType === "LITERAL" ? this.#literals : this.#prefixes;
    const others = byName.get(acl.resourceName);
    if (others !== undefined) {
      others.push(acl);
      return;
    }
    byName.set(acl.resourceName, [acl]);
    if (byName !== this.#prefixes || this.#prefixLengths.includes(acl.resourceName.length)) return;
    this.#prefixLengths = [...this.#prefixLengths, acl.resourceName.length].sort((a, b) => a - b);
  }

  visit(name: string, visitor: (acls: readonly AclBinding[]) => void): void {
    tell(this.#literals.get(name), visitor);
    if (name !== WILDCARD) tell(this.#literals.get(WILDCARD), visitor);
    for (const length of this.#prefixLengths) {
      if (length > name.length) return;
      tell(this.#prefixes.get(name.slice(0, length)), visitor);
    }
  }
}

function tell(acls: readonly AclBinding[] | undefined, visitor: (acls: readonly AclBinding[]) => void): void {
  if (acls !== undefined) visitor(acls);
}
