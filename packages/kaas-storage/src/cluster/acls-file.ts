import type { AclBinding } from "@kaas/core";
import type { DocumentTypes } from "../documents/document-types.js";
import type { DurableFiles } from "../documents/durable-files.js";
import { GenerationFile } from "./generation-file.js";

/** What `acls.json` says. */
export type AclsDocument = DocumentTypes["acls"];

/**
 * `acls.json`: all ACLs of the cluster. Its writer is the operator, or a broker that is alone.
 *
 * ```
 * {"format":1,"generation":7,
 *  "acls":[{"resourceType":"TOPIC","patternType":"PREFIXED","resourceName":"orders-","principal":"User:alice",
 *           "host":"*","operation":"READ","permission":"ALLOW"}]}
 * ```
 */
export class AclsFile extends GenerationFile<"acls"> {
  /** @param directory the cluster directory, `<data>/__cluster` */
  constructor(files: DurableFiles, directory: string) {
    super("acls", files, directory);
  }

  /**
   * Replaces what is there by what `change` makes of it, in a fixed order and without repetitions; durable when it
   * resolves. Calls come one after the other. What changes nothing writes nothing.
   *
   * @param generationMin the generation that a reader is known to have, which the new one must exceed
   */
  update(change: (acls: readonly AclBinding[]) => readonly AclBinding[], generationMin = 0): Promise<AclsDocument> {
    return this.replace((before) => ({ acls: distinct(change(before?.acls ?? [])) }), generationMin);
  }
}

/** What tells an ACL from all others, as one text. */
export function aclKey(acl: AclBinding): string {
  const { resourceType, patternType, resourceName, principal, host, operation, permission } = acl;
  return JSON.stringify([resourceType, resourceName, patternType, principal, host, operation, permission]);
}

function distinct(acls: readonly AclBinding[]): readonly AclBinding[] {
  const byKey = new Map(acls.map((acl) => [aclKey(acl), acl]));
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, acl]) => acl);
}
