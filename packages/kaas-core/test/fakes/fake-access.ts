import type { AclResourceType } from "../../src/ports/acls.js";
import { type Access, type AskedOperation, bitOf, CLUSTER_NAME } from "../../src/security/access.js";

/** An access that allows what the test says, and remembers what it was asked. */
export class FakeAccess implements Access {
  /** Such as `READ TOPIC t`. */
  readonly asked: string[] = [];
  readonly #allowed: ReadonlySet<string>;

  constructor(...allowed: readonly string[]) {
    this.#allowed = new Set(allowed);
  }

  may(operation: AskedOperation, type: AclResourceType, name: string): boolean {
    this.asked.push(`${operation} ${type} ${name}`);
    return this.#allowed.has(`${operation} ${type} ${name}`);
  }

  sees(operation: AskedOperation, type: AclResourceType, name: string): boolean {
    return this.may(operation, type, name);
  }

  mayOnCluster(operation: AskedOperation): boolean {
    return this.may(operation, "CLUSTER", CLUSTER_NAME);
  }

  mayOnAny(operation: AskedOperation, type: AclResourceType): boolean {
    return this.may(operation, type, "any");
  }

  operations(type: AclResourceType, name: string): number {
    const all: readonly AskedOperation[] = ["READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE"];
    return all.reduce(
      (bits, operation) => (this.#allowed.has(`${operation} ${type} ${name}`) ? bits | bitOf(operation) : bits),
      0,
    );
  }
}
