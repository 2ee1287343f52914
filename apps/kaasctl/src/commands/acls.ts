import { type AclsView, isSound } from "@kaas/storage";
import { renderFindings } from "../output/findings.js";
import { type Column, renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";

type Acl = AclsView["acls"][number];

/** `acl ls` */
export function listAcls(principal: string | undefined): Action {
  return async (session) => {
    const { generation, acls, findings } = await (await session.open()).acls();
    const shown = principal === undefined ? acls : acls.filter((acl) => acl.principal === principal);
    await session.output.print({ generation, acls: shown, findings }, () => {
      const table = renderTable(ACL_COLUMNS, shown, session.style);
      return findings.length === 0 ? table : `${table}\n${renderFindings(findings, session.style)}`;
    });
    return isSound(findings) ? EXIT.SOUND : EXIT.UNSOUND;
  };
}

/** ACLs, one a line. */
export const ACL_COLUMNS: readonly Column<Acl>[] = [
  { title: "PRINCIPAL", cell: (row: Acl): string => row.principal },
  { title: "PERMISSION", cell: (row: Acl): string => row.permission },
  { title: "OPERATION", cell: (row: Acl): string => row.operation },
  { title: "RESOURCE", cell: (row: Acl): string => row.resourceType },
  {
    title: "NAME",
    cell: (row: Acl): string => (row.patternType === "PREFIXED" ? `${row.resourceName}…` : row.resourceName),
  },
  { title: "HOST", cell: (row: Acl): string => row.host },
];
