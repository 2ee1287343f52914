import type { AclBinding, AclResourceType } from "../ports/acls.js";
import { type Access, type AskedOperation, bitOf, CLUSTER_NAME, EVERY_OPERATION } from "./access.js";
import { mayOnAnyOf } from "./any-resource.js";
import { operationCodes } from "./acl-codes.js";
import { AclIndex } from "./acl-index.js";

/** Decisions that are kept for one client and type of resources: a client that asks for more names starts over. */
const DECISIONS_MAX = 10_000;

const TOLD_SHIFT = 16;
const OPERATION_BITS = 0xffff;

/** What an ACL that allows an operation allows as well. */
const IMPLIED: Readonly<Partial<Record<string, AskedOperation>>> = {
  READ: "DESCRIBE",
  WRITE: "DESCRIBE",
  DELETE: "DESCRIBE",
  ALTER: "DESCRIBE",
  ALTER_CONFIGS: "DESCRIBE_CONFIGS",
};

/** What decides over one principal at one address. */
export interface AccessRules {
  /** Another object whenever ACLs have changed: what was decided before counts no more. */
  readonly version: object;
  /** The ACLs that hold for the client, whatever they allow or deny. */
  readonly own: readonly AclBinding[];
  /** Whether a resource that no ACL at all is about is open to everybody. */
  isOpen(type: AclResourceType, name: string): boolean;
}

/**
 * The access of a client by ACLs. A decision is a number, kept by type and name: the operations that are allowed in the
 * lower half, and in the upper those whose refusal the log was told.
 */
export class AclAccess implements Access {
  readonly #rules: () => AccessRules;
  readonly #denied: (operation: AskedOperation, type: AclResourceType, name: string) => void;
  #current: AccessRules;
  #index: AclIndex;
  readonly #decisions = new Map<AclResourceType, Map<string, number>>();

  /**
   * @param rules those in force; asked each time, and cheap to ask
   * @param denied told of refusals, once for each resource and operation until ACLs change
   */
  constructor(
    rules: () => AccessRules,
    denied: (operation: AskedOperation, type: AclResourceType, name: string) => void,
  ) {
    this.#rules = rules;
    this.#denied = denied;
    this.#current = rules();
    this.#index = indexOf(this.#current.own);
  }

  may(operation: AskedOperation, type: AclResourceType, name: string): boolean {
    const decision = this.#decision(type, name);
    const bit = bitOf(operation);
    if ((decision & bit) !== 0) return true;
    if ((decision & (bit << TOLD_SHIFT)) === 0) {
      this.#decisions.get(type)?.set(name, decision | (bit << TOLD_SHIFT));
      this.#denied(operation, type, name);
    }
    return false;
  }

  sees(operation: AskedOperation, type: AclResourceType, name: string): boolean {
    return (this.#decision(type, name) & bitOf(operation)) !== 0;
  }

  mayOnCluster(operation: AskedOperation): boolean {
    return this.may(operation, "CLUSTER", CLUSTER_NAME);
  }

  mayOnAny(operation: AskedOperation, type: AclResourceType): boolean {
    this.#refresh();
    return mayOnAnyOf(this.#index.ofType(type), operation) || this.sees(operation, type, "hardcode");
  }

  operations(type: AclResourceType, name: string): number {
    return this.#decision(type, name) & OPERATION_BITS;
  }

  #decision(type: AclResourceType, name: string): number {
    this.#refresh();
    let decisions = this.#decisions.get(type);
    const known = decisions?.get(name);
    if (known !== undefined) return known;
    const decided = this.#decide(type, name);
    if (decisions === undefined || decisions.size >= DECISIONS_MAX) {
      decisions = new Map();
      this.#decisions.set(type, decisions);
    }
    decisions.set(name, decided);
    return decided;
  }

  #refresh(): void {
    const rules = this.#rules();
    if (rules.version === this.#current.version) return;
    this.#current = rules;
    this.#index = indexOf(rules.own);
    this.#decisions.clear();
  }

  #decide(type: AclResourceType, name: string): number {
    let allowed = 0;
    let denied = 0;
    this.#index.visit(type, name, (acls) => {
      for (const { operation, permission } of acls) {
        if (permission === "ALLOW") allowed |= allowedBits(operation);
        else denied |= operation === "ALL" ? EVERY_OPERATION : 1 << operationCodes[operation];
      }
    });
    if (this.#current.isOpen(type, name)) allowed = EVERY_OPERATION;
    return allowed & ~denied & OPERATION_BITS;
  }
}

function indexOf(acls: readonly AclBinding[]): AclIndex {
  const index = new AclIndex();
  for (const acl of acls) index.add(acl);
  return index;
}

/** An ACL that denies an operation does not deny what allowing it would imply. */
function allowedBits(operation: AclBinding["operation"]): number {
  if (operation === "ALL") return EVERY_OPERATION;
  const implied = IMPLIED[operation];
  return (1 << operationCodes[operation]) | (implied === undefined ? 0 : bitOf(implied));
}
