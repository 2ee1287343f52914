import { isSound, type UserMechanism, type UserView } from "@kaas/storage";
import { renderFindings } from "../output/findings.js";
import { type Column, renderFields, renderTable } from "../output/table.js";
import { type Action, EXIT, type Session } from "../session.js";
import { UsageError } from "../usage-error.js";

/** `user ls` */
export const listUsers: Action = async (session) => {
  const { users, findings } = await (await session.open()).namedUsers();
  await session.output.print({ users, findings }, () => {
    const table = renderTable(USER_COLUMNS, users, session.style);
    return findings.length === 0 ? table : `${table}\n${renderFindings(findings, session.style)}`;
  });
  return isSound(findings) ? EXIT.SOUND : EXIT.UNSOUND;
};

/** Users, one a line. */
export const USER_COLUMNS: readonly Column<UserView>[] = [
  { title: "USER", cell: (row: UserView): string => row.name },
  {
    title: "LOGIN",
    cell: (row: UserView): string => row.mechanisms.map(({ mechanism }) => mechanism).join(",") || "-",
  },
  { title: "QUOTAS", isNumber: true, cell: (row: UserView): string => String(row.quotas.length) },
  { title: "ACLS", isNumber: true, cell: (row: UserView): string => String(row.acls.length) },
];

/** `user describe USER` */
export function describeUser(name: string): Action {
  return async (session) => {
    const { users, findings } = await (await session.open()).namedUsers();
    const user = users.find((one) => one.name === name);
    if (user === undefined) {
      const problem = findings.map(({ file, message }) => `; ${file}: ${message}`).join("");
      throw new UsageError(`there is no user ${name}: no credentials, quotas or ACLs${problem}`);
    }
    await showUser(session, user);
    return EXIT.SOUND;
  };
}

/** Shows all that is known of a user. */
export async function showUser(session: Session, user: UserView): Promise<void> {
  await session.output.print(user, () => {
    const fields: (readonly [string, string])[] = [
      ["user", user.name],
      ["login", user.mechanisms.map(shownMechanism).join(", ") || "not by password"],
      ...user.quotas.map((quota) => ["quota", shownQuota(quota)] as const),
      ...user.acls.map((acl) => ["acl", shownAcl(acl)] as const),
    ];
    return renderFields(fields, session.style);
  });
}

function shownMechanism({ mechanism, iterations }: UserMechanism): string {
  return `${mechanism} (${iterations} iterations)`;
}

function shownQuota({ entity: { clientId }, limits }: UserView["quotas"][number]): string {
  const shown = Object.entries(limits)
    .map(([name, limit]) => `${name}=${limit}`)
    .join(" ");
  if (clientId === undefined) return shown;
  return `${shown} for ${clientId === null ? "any other client id" : `client id ${clientId}`}`;
}

function shownAcl(acl: UserView["acls"][number]): string {
  const { permission, operation, resourceType, resourceName, patternType, host } = acl;
  const name = patternType === "PREFIXED" ? `${resourceName}…` : resourceName;
  return `${permission} ${operation} on ${resourceType} ${name} from ${host}`;
}
